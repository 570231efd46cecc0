/**
 * A JSON Schema as the catalogue takes one: draft 2020-12, self-contained, with every keyword spelled right. Says where it
 * is wrong, before it judges anything. Sources: json-schema.org/draft/2020-12, OpenAPI 3.1.1 (section Schema Object).
 */
import {
  allowing,
  boolean,
  type Check,
  join,
  listOf,
  meant,
  number,
  oneOf,
  type Report,
  recordOf,
  show,
} from '#core/problem.ts';
import { isShallow } from '#core/scan/json-object.ts';
import { escaped, PARTS, pointerOf } from './schema-parts.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const MAX_CHARACTERS = 32_768;
const MAX_DEPTH = 32;
const MAX_PATTERN = 500;

const fails =
  (fits: (value: unknown) => boolean, allowed: string, fix: string): Check =>
  (value, path, report) => {
    if (!fits(value)) report({ path, given: show(value), allowed, fix });
  };
const anything: Check = () => undefined;
const words = fails(value => typeof value === 'string', 'text', 'put it in quotes');
const size = number(0, 1_000_000_000, 'things');
const anyNumber = fails(value => typeof value === 'number' && Number.isFinite(value), 'a number', 'write it in digits');
const isUnique = (list: readonly unknown[]): boolean => new Set(list).size === list.length;
const names: Check = (value, path, report) => {
  listOf(words)(value, path, report);
  if (Array.isArray(value) && !isUnique(value))
    report({ path, given: show(value), allowed: 'each name once', fix: 'remove the second one' });
};
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;
const type: Check = (value, path, report) => {
  if (!Array.isArray(value)) return oneOf(...TYPES)(value, path, report);
  listOf(oneOf(...TYPES))(value, path, report);
  if (value.length === 0 || !isUnique(value))
    report({ path, given: show(value), allowed: 'each type once, and at least one', fix: 'e.g. ["string", "null"]' });
};
const pattern: Check = (value, path, report) => {
  if (typeof value !== 'string' || value.length > MAX_PATTERN)
    return report({
      path,
      given: show(value),
      allowed: `a pattern of at most ${MAX_PATTERN} characters`,
      fix: 'shorten it',
    });
  try {
    new RegExp(value, 'u');
  } catch {
    report({
      path,
      given: show(value),
      allowed: 'a regular expression of ECMA-262 with the flag u',
      fix: 'correct it',
    });
  }
};
const filledList = fails(value => Array.isArray(value) && value.length > 0, 'a list that is not empty', 'remove it');

/** Keywords whose value is data. */
const DATA: Readonly<Record<string, Check>> = {
  $schema: fails(value => value === DIALECT, DIALECT, 'leave it out'),
  $ref: words,
  $comment: words,
  type,
  enum: filledList,
  const: anything,
  multipleOf: fails(value => typeof value === 'number' && value > 0, 'a number above 0', 'remove it'),
  ...{ maximum: anyNumber, exclusiveMaximum: anyNumber, minimum: anyNumber, exclusiveMinimum: anyNumber },
  ...{ maxLength: size, minLength: size, maxItems: size, minItems: size, maxContains: size, minContains: size },
  ...{ maxProperties: size, minProperties: size, uniqueItems: boolean, pattern, required: names },
  dependentRequired: recordOf(names),
  ...{ format: words, contentEncoding: words, contentMediaType: words, title: words, description: words },
  ...{ default: anything, deprecated: boolean, readOnly: boolean, writeOnly: boolean, examples: listOf(anything) },
  // Of OpenAPI: they say something to readers and judge nothing.
  ...{ example: anything, discriminator: anything, xml: anything, externalDocs: anything },
};
/** What people write that 2020-12 has another word for, or that would make a schema depend on what is around it. */
const INSTEAD: Readonly<Record<string, string>> = {
  definitions: 'write $defs',
  nullable: 'add "null" to type: ["string", "null"]',
  dependencies: 'write dependentRequired or dependentSchemas',
  additionalItems: 'write prefixItems, and items for the rest',
  ...{ id: 'remove it', $id: 'remove it', $anchor: 'refer to it by "#/$defs/<name>"', $vocabulary: 'remove it' },
  ...{ $dynamicRef: 'write $ref', $dynamicAnchor: 'refer to it by "#/$defs/<name>"' },
  ...{ $recursiveRef: 'write $ref', $recursiveAnchor: 'refer to it by "#"' },
};
const KEYWORDS = [...Object.keys(DATA), ...Object.keys(PARTS)];

interface Tour {
  readonly report: Report;
  /** JSON Pointer of each schema inside, with those that judge the same value. */
  readonly inPlace: Map<string, string[]>;
  readonly refs: { readonly from: string; readonly to: string; readonly path: string }[];
}

/** A schema of at most 32 KB and 32 levels; `$ref` leads to a place inside it, and not round in a circle. */
export const jsonSchema = /* @__PURE__ */ allowing({ type: 'object' }, (value, path, report) => {
  if (!isShallow(value, 4 * MAX_DEPTH))
    return report({ path, given: 'deeper', allowed: `a schema of at most ${MAX_DEPTH} levels`, fix: 'use $defs' });
  if (typeof value !== 'object' || value === null || JSON.stringify(value).length > MAX_CHARACTERS)
    return report({
      path,
      given: show(value),
      allowed: 'a JSON Schema (an object) of at most 32 KB',
      fix: 'shorten it',
    });
  const tour: Tour = { report, inPlace: new Map(), refs: [] };
  walk(value, { path, pointer: '', depth: 0 }, tour);
  for (const { from, to, path: at } of tour.refs) {
    if (tour.inPlace.has(to)) tour.inPlace.get(from)?.push(to);
    else report({ path: at, given: show(`#${to}`), allowed: 'a schema inside this one', fix: 'e.g. "#/$defs/money"' });
  }
  const round = tour.refs.find(({ from }) => leadsTo(from, from, tour.inPlace));
  if (round)
    report({ path: round.path, given: show(`#${round.to}`), allowed: 'no circle without end', fix: 'remove it' });
});

interface Place {
  readonly path: string;
  readonly pointer: string;
  readonly depth: number;
}
function walk(value: unknown, { path, pointer, depth }: Place, tour: Tour): void {
  const { report } = tour;
  if (depth > MAX_DEPTH) {
    report({ path, given: 'deeper', allowed: `at most ${MAX_DEPTH} levels`, fix: 'use $defs' });
    return;
  }
  const here: string[] = [];
  tour.inPlace.set(pointer, here);
  if (typeof value === 'boolean') return;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    report({ path, given: show(value), allowed: 'a schema: an object, true or false', fix: 'write { … }' });
    return;
  }
  for (const [key, part] of Object.entries(value)) {
    const at = join(path, key);
    const form = Object.hasOwn(PARTS, key) ? PARTS[key] : undefined;
    if (form !== undefined) {
      for (const [name, inner] of partsOf(form.form, part, at, report)) {
        const to = `${pointer}/${escaped(key)}${name === undefined ? '' : `/${escaped(name)}`}`;
        if (key === 'patternProperties') pattern(name, at, report);
        walk(
          inner,
          { path: name === undefined ? at : placeIn(form.form, at, name), pointer: to, depth: depth + 1 },
          tour,
        );
        if (form.inPlace) here.push(to);
      }
    } else if (Object.hasOwn(DATA, key)) DATA[key]?.(part, at, report);
    else if (!key.startsWith('x-')) reportUnknown(key, at, report);
    if (key === '$ref' && typeof part === 'string') takeRef(part, at, pointer, tour);
  }
}

const placeIn = (form: 'one' | 'list' | 'named', at: string, name: string): string =>
  form === 'list' ? `${at}[${name}]` : join(at, name);

function partsOf(form: 'one' | 'list' | 'named', part: unknown, at: string, report: Report) {
  const none: readonly (readonly [string | undefined, unknown])[] = [];
  if (form === 'one') return [[undefined, part] as const];
  if (form === 'list') {
    filledList(part, at, report);
    return Array.isArray(part) ? part.map((each, index) => [String(index), each] as const) : none;
  }
  recordOf(anything)(part, at, report);
  return typeof part === 'object' && part !== null && !Array.isArray(part) ? Object.entries(part) : none;
}

function reportUnknown(key: string, path: string, report: Report): void {
  const fix = (Object.hasOwn(INSTEAD, key) && INSTEAD[key]) || meant(key, KEYWORDS, 'remove it, or begin it with x-');
  report({ path, given: 'an unknown keyword', allowed: 'the keywords of JSON Schema 2020-12, and x-…', fix });
}

function takeRef(ref: string, path: string, from: string, { refs, report }: Tour): void {
  const to = pointerOf(ref);
  if (to !== undefined) refs.push({ from, to, path });
  else
    report({
      ...{ path, given: show(ref), allowed: 'a place inside this schema: "#" or "#/…"' },
      fix: 'copy what it refers to into $defs; nothing is fetched',
    });
}

/** Whether judging at `from` comes back to `goal` with the same value in hand. */
function leadsTo(goal: string, from: string, edges: ReadonlyMap<string, readonly string[]>): boolean {
  const seen = new Set<string>();
  const open = [...(edges.get(from) ?? [])];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === goal) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    open.push(...(edges.get(at) ?? []));
  }
  return false;
}
