/** The catalogue of event types, as a person reads it, takes it out of an OpenAPI document and writes it as one. */
import { lazySchemaJudge } from '#adapters/json-schema/lazy-schema-judge.ts';
import { problemsOfType, TYPE_FIELDS } from '#core/outbound/api/type-check.ts';
import { type CatalogueType, tidied } from '#core/outbound/catalogue/catalogue-type.ts';
import { fromOpenApi } from '#core/outbound/catalogue/from-openapi.ts';
import { type ExportFormat, toOpenApi } from '#core/outbound/catalogue/to-openapi.ts';
import { type ConfigProblem, join, object } from '#core/problem.ts';
import { allOf, askDelivery, type DeliveryApi } from '#operator/delivery-api.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError } from '#operator/operator-error.ts';

/** A person at a busy laptop would rather wait than be told that an example takes too long. */
const PATIENCE_MS = 10_000;

const deliveryOf = async (operator: Operator): Promise<DeliveryApi> => (await operator.gateway()).delivery();

/** All of them, by name. */
export async function listEventTypes(operator: Operator): Promise<readonly CatalogueType[]> {
  return (await allOf<CatalogueType>(await deliveryOf(operator), ['event-types'])).map(tidied);
}

export async function showEventType(operator: Operator, name: string): Promise<CatalogueType> {
  return tidied(
    await askDelivery<CatalogueType>(await deliveryOf(operator), { method: 'GET', path: ['event-types', name] }),
  );
}

/** An OpenAPI 3.1 document with a webhook for each type and version. */
export async function exportEventTypes(
  operator: Operator,
  format?: ExportFormat,
): Promise<Readonly<Record<string, unknown>>> {
  return toOpenApi(await listEventTypes(operator), `Webhooks of ${operator.environment}`, format);
}

/** What an import would write, and what it leaves. */
export interface ImportPlan {
  readonly added: readonly CatalogueType[];
  readonly changed: readonly (CatalogueType & { readonly changes: readonly string[] })[];
  readonly left: readonly string[];
  /** In the catalogue and not in the document: left as well. */
  readonly elsewhere: readonly string[];
}

/**
 * Compares the document with the catalogue. `validate`: of new types whose webhook says nothing of it. Throws OperatorError
 * (usage) with every problem of the document; then nothing was written.
 */
export async function planImport(
  operator: Operator,
  document: unknown,
  { validate = 'off' }: Pick<CatalogueType, 'validate'> = {},
): Promise<ImportPlan> {
  const { types, problems } = fromOpenApi(document);
  refuseAll([...problems, ...(await problemsOf(types))]);
  const known = new Map((await listEventTypes(operator)).map(type => [type.name, type]));
  const plan = { added: [] as CatalogueType[], changed: [] as ImportPlan['changed'][number][], left: [] as string[] };
  for (const type of types) {
    const before = known.get(type.name);
    const after = {
      description: '',
      ...(before === undefined ? { validate, ...type } : { ...kept(before, type), ...type }),
    };
    const changes = before === undefined ? [] : differing({ description: '', ...before }, after);
    if (before === undefined) plan.added.push(after);
    else if (changes.length > 0) plan.changed.push({ ...after, changes });
    else plan.left.push(type.name);
  }
  const named = new Set(types.map(({ name }) => name));
  return { ...plan, elsewhere: [...known.keys()].filter(name => !named.has(name)) };
}

/** Writes what a plan says, type by type; every write may be repeated. */
export async function writeImport(operator: Operator, { added, changed }: ImportPlan): Promise<void> {
  const api = await deliveryOf(operator);
  for (const { name, ...type } of [...added, ...changed.map(({ changes: _, ...type }) => type)])
    await askDelivery(api, { method: 'PUT', path: ['event-types', name], body: type });
}

/** OpenAPI has no word for these: where the document says nothing of them, they stay. */
function kept(before: CatalogueType, type: CatalogueType): Partial<CatalogueType> {
  const { validate, version, earlier, ends_at, replacement } = before;
  const ending = type.deprecated === true ? { ends_at, replacement } : {};
  return tidied({ validate, version, earlier, ...ending }) as Partial<CatalogueType>;
}

/** Names of fields, never values: of an endpoint some are secrets. */
export function differing(a: object, b: object): string[] {
  const [one, two] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  const names = [...new Set([...Object.keys(one), ...Object.keys(two)])];
  return names.filter(name => sortedText(one[name]) !== sortedText(two[name]));
}

/** The order of members says nothing. */
const sortedText = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

async function problemsOf(types: readonly CatalogueType[]): Promise<readonly ConfigProblem[]> {
  const judge = lazySchemaJudge(PATIENCE_MS);
  const found: ConfigProblem[] = [];
  for (const { name, ...body } of types) {
    const own: ConfigProblem[] = [];
    object(TYPE_FIELDS)(body, '', problem => own.push(problem));
    if (own.length === 0) own.push(...(await problemsOfType(judge, name, body)));
    found.push(...own.map(problem => ({ ...problem, path: `${join('webhooks', name)}: ${problem.path}` })));
  }
  return found;
}

const TOLD = 20;
function refuseAll(problems: readonly ConfigProblem[]): void {
  if (problems.length === 0) return;
  const told = problems
    .slice(0, TOLD)
    .map(({ path, given, allowed, fix }) => `${path}: given ${given}\n  allowed: ${allowed}\n  fix:     ${fix}`);
  const more = problems.length > TOLD ? [`… and ${problems.length - TOLD} more`] : [];
  throw new OperatorError([...told, ...more].join('\n'), 'usage');
}
