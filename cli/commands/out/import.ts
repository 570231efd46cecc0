/** `holdfast out import`: applications, endpoints, secrets and types out of what another system exported. */
import { statSync } from 'node:fs';
import { EXIT, usageError } from '#cli/cli-error.ts';
import { GOES_ON, readText } from '#cli/read-input.ts';
import type { Run, RunCommand } from '#cli/run.ts';
import type { EndpointSecrets } from '#operator/customers/customer-secrets.ts';
import { type ImportedCustomers, importCustomers, resumeImported } from '#operator/customers/import-customers.ts';
import { readCustomers } from '#operator/customers/read-customers.ts';
import { readExport } from '#operator/moving/export-file.ts';
import { EXPORTED_FROM, type ExportedFrom, importPlan, readPlan } from '#operator/moving/import-export.ts';
import type { ImportResult } from '#operator/moving/run-import.ts';
import { openSecrets, SECRETS_FILE } from '#operator/sealed-secrets.ts';

const OURS = 'holdfast';

interface ImportOptions {
  readonly from?: string;
  readonly identity?: string;
  readonly newSecrets?: boolean;
  readonly resume?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function addOutImport(out: RunCommand): void {
  out
    .command('import')
    .argument('<file>', 'JSON or NDJSON; - for stdin')
    .description('Create customers that another environment or system exported, with their secrets')
    .option('--from <system>', `the system that exported it: ${[OURS, ...EXPORTED_FROM].join(', ')}`)
    .option('--identity <key-file>', `of ${OURS}: the private key (age) that opens <file>${SECRETS_FILE}`)
    .option(
      '--new-secrets',
      `of ${OURS}, without --identity: each endpoint gets a secret that its customer must be told`,
    )
    .option('--resume', `of ${OURS}, at the end: resume the endpoints that the import paused`)
    .option('--dry-run', 'say what would be created and what cannot be')
    .option('--yes', 'do not ask')
    .examples(
      ['holdfast out import --from svix svix.json --dry-run', 'what would be created, and what cannot be carried over'],
      [
        'holdfast out import --from holdfast customers.json --identity key.txt --env new --yes',
        'under the ids they have; nothing is sent, and endpoints arrive paused',
      ],
      [
        'holdfast out import --from svix svix.json --yes',
        'creates what is not there yet; run it again after a failure',
      ],
    )
    .does(async (run, file: string, options: ImportOptions) => {
      const { from, dryRun = false, yes } = options;
      if (from === OURS) return importOurs(run, file, options);
      const system = EXPORTED_FROM.find(each => each === from);
      if (system === undefined)
        throw usageError(
          from === undefined ? 'No --from' : `--from "${from.slice(0, 40)}"`,
          [OURS, ...EXPORTED_FROM].join(', '),
          `e.g. --from ${OURS}`,
        );
      for (const [option, value] of Object.entries({
        '--resume': options.resume,
        '--identity': options.identity,
        '--new-secrets': options.newSecrets,
      }))
        if (value !== undefined)
          throw usageError(`${option} with --from ${system}`, `${option} with --from ${OURS}`, 'leave it out');
      warnOfReaders(run, file);
      const plan = await readPlan(run, system, await readText(run, file));
      const endpoints = plan.applications.reduce((sum, each) => sum + each.endpoints.length, 0);
      const all = `${plan.types.length} event types, ${plan.applications.length} applications, ${endpoints} endpoints`;
      if (!dryRun) await run.confirm(`Create what is not there yet of ${all}?`, yes);
      return carryOver(run, system, plan, dryRun);
    });
}

async function carryOver(run: Run, from: ExportedFrom, plan: Parameters<typeof importPlan>[1], dryRun: boolean) {
  const progress = run.out.progress(dryRun ? 'looking' : 'creating', GOES_ON);
  const result = await importPlan(run, plan, {
    ...{ from, dryRun },
    progress: (done, total) => progress.update(done, total, 'applications'),
  });
  progress.end();
  return tell(run, result, dryRun);
}

function tell(run: Run, result: ImportResult | ImportedCustomers, dryRun: boolean) {
  const counted = (name: string, { made, there }: { made: number; there: number }) => [
    name,
    String(made),
    String(there),
  ];
  run.out.result({ dry_run: dryRun, ...result }, () => [
    ...run.out.table(
      ['', dryRun ? 'TO CREATE' : 'CREATED', 'THERE ALREADY'],
      [
        counted('event types', result.types),
        counted('applications', result.applications),
        counted('endpoints', result.endpoints),
        ...('contacts' in result ? [counted('contacts', result.contacts)] : []),
      ],
    ),
    ...(result.left.length === 0 ? [] : ['', 'Not carried over:']),
    ...result.left.flatMap(({ what, why, fix, endpoint }) => [
      `${run.out.paint(endpoint ? 'red' : 'yellow', what)}: ${why}`,
      `    ${fix}`,
    ]),
  ]);
  const missing = result.left.filter(({ endpoint }) => endpoint).length;
  if (missing > 0) run.out.note(`${missing} of them ${missing === 1 ? 'is' : 'are'} not created at all.`);
  return missing > 0 && !dryRun ? EXIT.partial : EXIT.ok;
}

/** What `holdfast out export` wrote. */
async function importOurs(run: Run, file: string, options: ImportOptions) {
  const { identity, newSecrets = false, resume = false, dryRun = false, yes } = options;
  const customers = await readCustomers(run, readExport(await readText(run, file)));
  const endpoints = customers.applications.reduce((sum, each) => sum + each.endpoints.length, 0);
  const all = `${customers.types.length} event types, ${customers.applications.length} applications, ${endpoints} endpoints`;
  const progress = run.out.progress(dryRun ? 'looking' : resume ? 'resuming' : 'importing', GOES_ON);
  const told = (done: number, total: number): void => progress.update(done, total, 'applications');
  if (resume) {
    if (!dryRun)
      await run.confirm(`Resume what the import paused of ${endpoints} endpoints? ${run.environment} sends then`, yes);
    const done = await resumeImported(run, customers, { dryRun, progress: told });
    progress.end();
    run.out.result({ ...(dryRun && { dry_run: dryRun }), ...done }, () => [
      `${done.resumed} endpoints ${dryRun ? 'to resume' : 'resumed'}; ${done.others} others ${dryRun ? 'stay' : 'are'} as they were`,
    ]);
    return EXIT.ok;
  }
  if (newSecrets === (identity !== undefined))
    throw usageError(
      newSecrets ? '--identity with --new-secrets' : 'Neither --identity nor --new-secrets',
      '--identity key.txt for the secrets they have, or --new-secrets',
      `holdfast out export --secrets age1… writes ${file}${SECRETS_FILE}, which --identity opens`,
    );
  if (identity !== undefined) warnOfReaders(run, identity);
  const secrets =
    identity === undefined
      ? 'new'
      : await openSecrets<EndpointSecrets>(
          'endpoints',
          await readText(run, `${file}${SECRETS_FILE}`),
          await readText(run, identity),
        );
  if (!dryRun) await run.confirm(`Bring what is not in ${run.environment} yet of ${all}?`, yes);
  const result = await importCustomers(run, customers, { dryRun, secrets, progress: told });
  progress.end();
  const code = tell(run, result, dryRun);
  if (!dryRun && result.endpoints.made > result.closed) {
    run.out.note('Endpoints that were open are paused; nothing is sent to them.');
    run.out.next(run.command(`out import --from ${OURS} ${file} --resume`), 'after the old environment has stopped');
  }
  return code;
}

const OTHERS = 0o077;

/** The file has every customer's secret. */
function warnOfReaders(run: Run, file: string): void {
  const mode = file === '-' ? undefined : statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & OTHERS) === 0 || process.platform === 'win32') return;
  run.out.note(
    `Others on this machine can read ${file}, and it holds secrets: chmod 600 ${file}, and delete it afterwards.`,
  );
}
