/** A type of the catalogue as a person gives it: every problem at once, those of its schemas and examples with them. */

import type { CatalogueType } from '#core/outbound/catalogue/catalogue-type.ts';
import type { JudgeSchema } from '#core/outbound/catalogue/judge-publication.ts';
import { jsonSchema } from '#core/outbound/catalogue/schema-check.ts';
import { boolean, type ConfigProblem, object, oneOf, show, text } from '#core/problem.ts';
import { anything, listUpTo, storable, time, typeName } from './fields.ts';

const MAX_EARLIER = 9;
const version = text(/^[A-Za-z0-9_.-]{1,40}$/, '1 to 40 letters, digits, _ . and -', 'e.g. "2026-11-22"');
const FORM = { schema: storable(jsonSchema), example: storable(anything), version, deprecated: boolean };
/** Of the body of `PUT /v1/event-types/{name}`. */
export const TYPE_FIELDS = {
  ...FORM,
  description: text(/^[^\p{Cc}]{0,1000}$/u, 'text of up to 1,000 characters', 'shorten it'),
  group: text(/^[^\p{Cc}]{1,100}$/u, 'text of 1 to 100 characters', 'shorten it'),
  ends_at: time,
  replacement: typeName,
  validate: oneOf('off', 'warn', 'reject'),
  earlier: listUpTo(MAX_EARLIER, object(FORM, ['version'])),
};
type TypeBody = Omit<CatalogueType, 'name'>;

/** Of a body whose fields are right by `TYPE_FIELDS`: what one says about another, and examples that break their schema. */
export async function problemsOfType(
  judge: JudgeSchema,
  name: string,
  body: TypeBody,
): Promise<readonly ConfigProblem[]> {
  return [...problemsBetween(name, body), ...(await problemsOfExamples(judge, body))];
}

/** What one field says about another. */
function* problemsBetween(name: string, body: TypeBody): Generator<ConfigProblem> {
  const { version: newest, earlier = [], deprecated, replacement } = body;
  for (const path of ['ends_at', 'replacement'] as const)
    if (body[path] !== undefined && deprecated !== true)
      yield { path, given: show(body[path]), allowed: 'only of a deprecated type', fix: 'add "deprecated": true' };
  if (replacement === name)
    yield { path: 'replacement', given: show(name), allowed: 'another type', fix: 'name the one to move to' };
  if (earlier.length > 0 && newest === undefined)
    yield {
      path: 'version',
      given: 'nothing',
      allowed: 'a name, where there are earlier ones',
      fix: 'name the newest',
    };
  const names = [newest, ...earlier.map(each => each.version)];
  for (const [at, each] of names.entries())
    if (names.indexOf(each) < at)
      yield { path: `earlier[${at - 1}].version`, given: show(each), allowed: 'each version once', fix: 'rename it' };
}

/** A schema that cannot judge, and an example that breaks it. */
async function problemsOfExamples(judge: JudgeSchema, body: TypeBody): Promise<readonly ConfigProblem[]> {
  const versions = [['', body] as const, ...(body.earlier ?? []).map((it, at) => [`earlier[${at}].`, it] as const)];
  const problems: ConfigProblem[] = [];
  for (const [at, { schema, example: shown }] of versions) {
    if (schema === undefined || shown === undefined) continue;
    const broken = await judge(schema as object, shown);
    const given =
      broken === 'too_slow'
        ? 'one that takes too long to judge'
        : broken.map(({ path, rule }) => `${path || '/'} ${rule}`).join('; ');
    if (given !== '')
      problems.push({ path: `${at}example`, given, allowed: 'data that fits the schema', fix: 'correct one of them' });
  }
  return problems;
}
