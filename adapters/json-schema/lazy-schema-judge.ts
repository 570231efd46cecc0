/** The judge of schemas, loaded when the first schema is there: most functions start and end without one. */
import type { JudgeSchema } from '#core/outbound/catalogue/judge-publication.ts';

export function lazySchemaJudge(): JudgeSchema {
  let judge: JudgeSchema | undefined;
  return async (schema, data) => {
    judge ??= (await import('./schema-judge.ts')).schemaJudge();
    return judge(schema, data);
  };
}
