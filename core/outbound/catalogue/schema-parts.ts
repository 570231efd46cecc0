/** Where a JSON Schema has schemas inside it, so that data in it (of `const`, `example`) is never taken for one. */

type Form = 'one' | 'list' | 'named';
/** Keywords whose value is a schema, a list of schemas, or schemas by name. `in place`: they judge the same value. */
export const PARTS: Readonly<Record<string, { readonly form: Form; readonly inPlace?: true }>> = {
  ...{ not: { form: 'one', inPlace: true }, if: { form: 'one', inPlace: true } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword
  ...{ then: { form: 'one', inPlace: true }, else: { form: 'one', inPlace: true } },
  ...{ allOf: { form: 'list', inPlace: true }, anyOf: { form: 'list', inPlace: true } },
  ...{ oneOf: { form: 'list', inPlace: true }, dependentSchemas: { form: 'named', inPlace: true } },
  ...{ items: { form: 'one' }, contains: { form: 'one' }, unevaluatedItems: { form: 'one' } },
  ...{ additionalProperties: { form: 'one' }, unevaluatedProperties: { form: 'one' }, propertyNames: { form: 'one' } },
  ...{ contentSchema: { form: 'one' }, prefixItems: { form: 'list' } },
  ...{ properties: { form: 'named' }, patternProperties: { form: 'named' }, $defs: { form: 'named' } },
};

export type Json = Readonly<Record<string, unknown>>;
export const isJsonObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The same schema with each `$ref` as `change` says. */
export function mapRefs(schema: unknown, change: (ref: string) => string): unknown {
  if (!isJsonObject(schema)) return schema;
  const inner = (part: unknown): unknown => mapRefs(part, change);
  const mapped = Object.entries(schema).map(([key, part]): readonly [string, unknown] => {
    if (key === '$ref' && typeof part === 'string') return [key, change(part)];
    const form = Object.hasOwn(PARTS, key) ? PARTS[key]?.form : undefined;
    if (form === 'one') return [key, inner(part)];
    if (form === 'list' && Array.isArray(part)) return [key, part.map(inner)];
    if (form === 'named' && isJsonObject(part))
      return [key, Object.fromEntries(Object.entries(part).map(([name, each]) => [name, inner(each)]))];
    return [key, part];
  });
  return Object.fromEntries(mapped);
}

/** A step of a JSON Pointer (RFC 6901). */
export const escaped = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1');
const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

/** The pointer of a `$ref` inside its document, decoded from a URI fragment; undefined: it leads out of it. */
export function pointerOf(ref: string): string | undefined {
  if (!/^#(?:\/|$)/.test(ref)) return undefined;
  try {
    return decodeURIComponent(ref.slice(1));
  } catch {
    return undefined;
  }
}

/** What lies there; undefined: nothing. */
export function atPointer(document: unknown, pointer: string): unknown {
  let at = document;
  for (const step of pointer.split('/').slice(1)) {
    const name = unescaped(step);
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Json)[name];
  }
  return at;
}
