/** The judge of schemas, loaded when the first schema is there: most functions start and end without one. */
import type { JudgeSchema } from '#core/outbound/catalogue/judge-publication.ts';
import { once } from '../once.ts';

/** `limitMs`: longest time of one judgement by the clock on the wall, 250 ms if it is left out. */
export function lazySchemaJudge(limitMs?: number): JudgeSchema {
  const judge = once(async () => (await import('./schema-judge.ts')).schemaJudge(limitMs));
  return async (schema, data) => (await judge())(schema, data);
}
