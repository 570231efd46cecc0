/** The judge of schemas, loaded when the first schema is there: most functions start and end without one. */
import type { JudgeSchema } from '#core/outbound/catalogue/judge-publication.ts';

/** `limitMs`: longest time of one judgement by the clock on the wall, 250 ms if it is left out. */
export function lazySchemaJudge(limitMs?: number): JudgeSchema {
  let judge: JudgeSchema | undefined;
  return async (schema, data) => {
    judge ??= (await import('./schema-judge.ts')).schemaJudge(limitMs);
    return judge(schema, data);
  };
}
