/** Values around what a JSON Schema allows: its bounds, what lies just outside of them, and other types. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';

export interface Bounds {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly items?: Bounds;
  readonly anyOf?: readonly Bounds[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Bounds>>;
  readonly additionalProperties?: Bounds | boolean;
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const compiled = new Map<string, ValidateFunction>();
const made = new Map<string, readonly unknown[]>();
/** True for what the schema allows. A format is an annotation: the check behind it has a pattern. */
export function fits(schema: Bounds, value: unknown): boolean {
  const key = JSON.stringify(schema);
  let validate = compiled.get(key);
  if (validate === undefined) {
    validate = ajv.compile(schema as object);
    compiled.set(key, validate);
  }
  return validate(value);
}

const ANYTHING = [
  null,
  true,
  0,
  1,
  -1,
  1.5,
  '',
  'a',
  'true',
  '1',
  'É',
  'a b',
  'a\nb',
  '\u0001',
  [],
  ['a'],
  {},
  { a: 1 },
];

export function probesOf(schema: Bounds): readonly unknown[] {
  const key = JSON.stringify(schema);
  let probes = made.get(key);
  if (probes === undefined) {
    const all = [...ANYTHING, ...within(schema)];
    probes = [...new Map(all.map(each => [JSON.stringify(each), each])).values()];
    made.set(key, probes);
  }
  return probes;
}

/** One that fits. */
export function sampleOf(schema: Bounds): unknown {
  const found = probesOf(schema).find(each => each !== null && fits(schema, each));
  if (found === undefined) throw new Error(`nothing fits ${JSON.stringify(schema)}`);
  return found;
}

function* within(schema: Bounds): Generator<unknown> {
  for (const each of schema.anyOf ?? []) yield* within(each);
  for (const each of schema.enum ?? []) yield* [each, `${each}x`];
  for (const bound of [schema.minimum, schema.maximum])
    if (bound !== undefined) yield* [bound - 1, bound - 0.5, bound, bound + 0.5, bound + 1];
  if (schema.pattern !== undefined) yield* texts(schema.pattern);
  if (schema.items !== undefined) yield* lists(schema.items, schema.maxItems);
  yield* objects(schema);
}

function* lists(items: Bounds, most?: number): Generator<unknown> {
  for (const each of probesOf(items)) yield [each];
  const one = sampleOf(items);
  if (most !== undefined) yield* [most, most + 1].map(count => Array.from({ length: count }, () => one));
}

function* objects({ properties = {}, required = [], additionalProperties, maxProperties }: Bounds): Generator<unknown> {
  const sample = (name: string): unknown => sampleOf(properties[name] ?? {});
  const least = Object.fromEntries(required.map(name => [name, sample(name)]));
  yield least;
  for (const name of required) yield Object.fromEntries(Object.entries(least).filter(([each]) => each !== name));
  for (const [name, each] of Object.entries(properties))
    for (const probe of probesOf(each)) yield { ...least, [name]: probe };
  if (typeof additionalProperties === 'object') {
    for (const probe of probesOf(additionalProperties)) yield { 'x-a': probe };
    const one = sampleOf(additionalProperties);
    for (const count of maxProperties === undefined ? [] : [maxProperties, maxProperties + 1])
      yield Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, one]));
  }
}

/** Of each length that the pattern names, and one more and less; what it is made of, and what fits. */
function* texts(pattern: string): Generator<string> {
  const lengths = [...pattern.matchAll(/[{,](\d+)(?=[,}])/g)].flatMap(([, count]) =>
    [-1, 0, 1].map(by => Number(count) + by),
  );
  const samples = drawn(pattern);
  yield* samples;
  for (const each of ['a', '0', ...samples])
    for (const length of lengths) if (length >= 0) yield each === '' ? '' : each.padEnd(length, each).slice(0, length);
  for (const each of [' ', '*', 'a*', '/', '~', '"', '\\', 'a.b', 'A-1_', '-']) yield each;
}

/** Empty for a pattern that looks ahead. */
function drawn(pattern: string): readonly string[] {
  try {
    return fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), { numRuns: 4, seed: 1 });
  } catch {
    return [];
  }
}
