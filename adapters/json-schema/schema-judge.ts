/** Judges data by a schema of the catalogue: nothing is compiled to code, and a slow pattern is stopped. */
import { createContext, Script } from 'node:vm';
import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import type { BrokenPlace, JudgeSchema } from '#core/outbound/catalogue/judge-publication.ts';
import { deepestOf, PARENTS } from './json-schema.ts';

/** Longest time of one judgement: patterns of a producer may take exponential time. */
const LIMIT_MS = 250;

/** Schemas are kept ready as long as their objects live. */
export function schemaJudge(limitMs = LIMIT_MS): JudgeSchema {
  const ready = new WeakMap<object, Validator>();
  const within = timeLimit(limitMs);
  return async (schema, data) => {
    try {
      const validator = ready.get(schema) ?? new Validator(schema as Schema, '2020-12');
      ready.set(schema, validator);
      const result = within(() => validator.validate(data));
      if (result === undefined) return 'too_slow';
      return result.valid ? [] : placesOf(result.errors);
    } catch {
      // A `$ref` that leads nowhere, or data inside itself thousands of times.
      return [{ path: '', rule: 'cannot be judged' }];
    }
  };
}

/** Runs it for that long; undefined: it was stopped. V8 stops code of this kind of run even inside a regular expression. */
function timeLimit(timeout: number): <T>(run: () => T) => T | undefined {
  const context = createContext({ run: undefined }) as { run: (() => unknown) | undefined };
  const script = new Script('run()');
  return <T>(run: () => T): T | undefined => {
    context.run = run;
    try {
      return script.runInContext(context, { timeout }) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
      throw error;
    } finally {
      context.run = undefined;
    }
  };
}

/** Here what is not allowed is a place of its own. */
const OUTER = [
  ...PARENTS,
  ...[
    'additionalProperties',
    'patternProperties',
    'unevaluatedProperties',
    'unevaluatedItems',
    'dependentSchemas',
    'if',
  ],
];

function placesOf(errors: readonly OutputUnit[]): readonly BrokenPlace[] {
  const told = deepestOf(errors, OUTER).map(({ instanceLocation, keyword, error }): BrokenPlace => {
    const path = decodeURIComponent(instanceLocation.slice(1));
    // What is missing is named by the schema, and is the place itself.
    const missing = keyword === 'required' ? /property "(.*)"\.$/s.exec(error)?.[1] : undefined;
    if (missing !== undefined)
      return { path: `${path}/${missing.replaceAll('~', '~0').replaceAll('/', '~1')}`, rule: keyword };
    return { path, rule: keyword === 'false' ? 'not allowed' : keyword };
  });
  return told.length > 0 ? told : [{ path: '', rule: 'cannot be judged' }];
}
