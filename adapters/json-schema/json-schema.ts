/** JSON Schema for handlers, without code generation (Lambda bundles stay small, nothing is evaluated). */
import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import type { PayloadSchema } from '#core/handler/handler-contract.ts';

/**
 * Makes a schema for `defineHandlers` from JSON Schema: draft 2020-12, or the one that `$schema` names (7, 2019-09, 4).
 * A bundle holds it only if a handler uses it. Bigints of the payload are checked as numbers. Throws at start for a
 * `$ref` that leads nowhere.
 * @example
 * const schema = jsonSchema({ type: 'object', required: ['id'] }, 'dead_letter');
 */
export function jsonSchema(schema: object, policy: PayloadSchema['policy']): PayloadSchema {
  const validator = new Validator(schema as Schema, draftOf(schema), false);
  validator.validate(null);
  return {
    policy,
    problemsOf: payload => {
      if (payload === undefined) return ['/ not JSON'];
      const { valid, errors } = validate(validator, withoutBigints(payload));
      if (valid) return [];
      const told = deepestOf(errors).map(
        ({ instanceLocation, keyword }) => `${instanceLocation.replace(/^#/, '') || '/'} ${keyword}`,
      );
      return [...new Set(told)];
    },
  };
}

/** The library throws where a schema cannot be followed (a `$ref` deep inside): that is a problem of every payload. */
function validate(validator: Validator, instance: unknown): ReturnType<Validator['validate']> {
  try {
    return validator.validate(instance);
  } catch {
    const broken = { keyword: 'cannot be checked: the schema itself is broken', keywordLocation: '#' };
    return { valid: false, errors: [{ ...broken, instanceLocation: '#', error: '' }] };
  }
}

export const PARENTS: readonly string[] = ['properties', 'items', 'prefixItems', '$ref', 'allOf', 'additionalItems'];

/** Errors of a parent repeat those of its parts; the deepest say where it is. Their texts may quote the payload. */
export function deepestOf(errors: readonly OutputUnit[], parents = PARENTS): readonly OutputUnit[] {
  const deepest = errors.filter(({ keyword }) => !parents.includes(keyword));
  return deepest.length > 0 ? deepest : errors;
}

function draftOf(schema: object): '4' | '7' | '2019-09' | '2020-12' {
  const named = '$schema' in schema ? String(schema.$schema) : '';
  if (named.includes('draft-04')) return '4';
  if (named.includes('draft-07')) return '7';
  return named.includes('2019-09') ? '2019-09' : '2020-12';
}

function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutBigints);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutBigints(part)]));
}
