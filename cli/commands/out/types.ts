/** `holdfast out types`: the catalogue of event types, from and to OpenAPI. */
import { usageError } from '#cli/cli-error.ts';
import { readInput } from '#cli/read-input.ts';
import type { Run, RunCommand } from '#cli/run.ts';
import type { CatalogueType } from '#core/outbound/catalogue/catalogue-type.ts';
import {
  exportEventTypes,
  type ImportPlan,
  listEventTypes,
  planImport,
  showEventType,
  writeImport,
} from '#operator/customers/event-types.ts';

interface ImportOptions {
  readonly dryRun?: boolean;
  readonly validate?: string;
  readonly yes?: boolean;
}
const VALIDATE = ['off', 'warn', 'reject'] as const;
const MAX_BYTES = 5_000_000;

export function addOutTypes(out: RunCommand): void {
  const types = out
    .command('types')
    .argument('[type]', 'show this one, with its schema and example')
    .description('List the event types that you publish and customers choose from')
    .examples(
      ['holdfast out types', 'all of them, with what is deprecated'],
      ['holdfast out types invoice.paid', 'its schema, its example, its versions'],
    );
  types.does((run, name: string | undefined) => (name === undefined ? listAll(run) : showOne(run, name)));

  types
    .command('import')
    .argument('<file>', 'OpenAPI 3.1, YAML or JSON; - for stdin')
    .description('Add or change event types from the webhooks of an OpenAPI document. None is removed')
    .option('--dry-run', 'say what would change, write nothing')
    .option('--validate <mode>', 'what happens to data that breaks the schema of a new type: off, warn or reject')
    .option('--yes', 'do not ask')
    .examples(
      ['holdfast out types import openapi.yaml --dry-run', 'what is new, what changes, what stays'],
      ['holdfast out types import openapi.yaml --validate warn --yes', 'in a pipeline'],
    )
    .does(async (run, file: string, { dryRun = false, validate, yes }: ImportOptions) => {
      const mode = VALIDATE.find(each => each === (validate ?? 'off'));
      if (mode === undefined) throw usageError(`--validate ${validate}`, VALIDATE.join(', '), '--validate warn');
      const plan = await planImport(run, await readDocument(file, await readInput(run, file)), { validate: mode });
      const writes = plan.added.length + plan.changed.length;
      if (!dryRun && writes > 0) {
        if (yes !== true) for (const line of planLines(run, plan)) run.out.note(line);
        await run.confirm(`Write ${writes} event type${writes === 1 ? '' : 's'} in ${run.environment}?`, yes);
        await writeImport(run, plan);
      }
      const names = {
        added: plan.added.map(({ name }) => name),
        changed: plan.changed.map(({ name, changes }) => ({ name, changes })),
      };
      run.out.result({ ...names, left: plan.left, elsewhere: plan.elsewhere, written: !dryRun }, () =>
        planLines(run, plan),
      );
      if (dryRun && writes > 0)
        run.out.next(
          run.command(`out types import ${file}${validate ? ` --validate ${validate}` : ''}`),
          'writes them',
        );
    });

  types
    .command('export')
    .description('Print the catalogue as an OpenAPI 3.1 document with webhooks (JSON)')
    .option('--raw', 'describe bodies without an envelope, as applications with the format raw get them')
    .examples(['holdfast out types export > openapi.json', 'for your documentation; import takes it back'])
    .does(async (run, { raw = false }: { raw?: boolean }) => {
      const document = await exportEventTypes(run, raw ? 'raw' : 'standard');
      run.out.result(document, () => JSON.stringify(document, null, 2).split('\n'));
    });
}

async function listAll(run: Run): Promise<void> {
  const found = await listEventTypes(run);
  run.out.result(found, () =>
    run.out.table(
      ['TYPE', 'VERSIONS', 'GROUP', 'VALIDATE', 'STATE'],
      found.map(type => [type.name, versionsOf(type), type.group ?? '-', checkOf(type), stateOf(type)]),
      'No event type is described yet.',
    ),
  );
  if (found.length === 0) run.out.next(run.command('out types import openapi.yaml'), 'takes them out of your document');
}

async function showOne(run: Run, name: string): Promise<void> {
  const type = await showEventType(run, name);
  run.out.result(type, () => [
    `${type.name}  ${stateOf(type)}`,
    ...(type.description ? [type.description] : []),
    ...[type, ...(type.earlier ?? [])].flatMap(({ version, schema, example, deprecated }, at) => [
      '',
      ...(version === undefined ? [] : [`version ${version}${at > 0 && deprecated === true ? ' (deprecated)' : ''}`]),
      `example ${example === undefined ? '-' : JSON.stringify(example, null, 2)}`,
      `schema  ${schema === undefined ? '-' : JSON.stringify(schema, null, 2)}`,
    ]),
  ]);
  run.out.next(run.command(`out test <app> <endpoint> --type ${name}`), 'sends its example');
}

const versionsOf = ({ version, earlier = [] }: CatalogueType): string =>
  version === undefined ? '-' : [version, ...earlier.map(each => each.version)].join(', ');
const checkOf = ({ schema, validate = 'off' }: CatalogueType): string =>
  schema === undefined ? 'no schema' : validate;
function stateOf({ deprecated, ends_at, replacement }: CatalogueType): string {
  if (deprecated !== true) return 'current';
  const ends = ends_at === undefined ? '' : `, ends ${ends_at.slice(0, 10)}`;
  return `deprecated${ends}${replacement === undefined ? '' : `, use ${replacement}`}`;
}

function planLines(run: Run, { added, changed, left, elsewhere }: ImportPlan): readonly string[] {
  return [
    ...added.map(({ name }) => `${run.out.paint('green', 'add')}     ${name}`),
    ...changed.map(({ name, changes }) => `${run.out.paint('yellow', 'change')}  ${name}: ${changes.join(', ')}`),
    ...left.map(name => `same    ${name}`),
    ...elsewhere.map(name => `stays   ${name} (not in the document)`),
  ];
}

/** YAML has JSON in it. Throws a usage error for what is neither. */
async function readDocument(file: string, bytes: Buffer): Promise<unknown> {
  const allowed = 'an OpenAPI 3.1 document, YAML or JSON, of at most 5 MB';
  if (bytes.length > MAX_BYTES)
    throw usageError(`${file} has ${bytes.length} bytes`, allowed, 'give a document with the webhooks only');
  const { parse } = await import('yaml');
  try {
    // Over JSON: an anchor of YAML may contain itself.
    return JSON.parse(JSON.stringify(parse(bytes.toString('utf8'))) ?? 'null');
  } catch (error) {
    const line = (error as Error).message.split('\n')[0] ?? '';
    throw usageError(`${file}: ${line.slice(0, 200)}`, allowed, 'correct the file');
  }
}
