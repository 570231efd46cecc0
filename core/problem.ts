/** Small checks that collect every problem instead of stopping at the first. A value is reported, never thrown. */
export interface ConfigProblem {
  /** Where, e.g. `environments.prod.queue.batchSize`. */
  readonly path: string;
  readonly given: string;
  readonly allowed: string;
  readonly fix: string;
}

export type Report = (problem: ConfigProblem) => void;
/** What a check allows, as JSON Schema 2020-12 says it: the OpenAPI documents are made of these. */
export type JsonSchema = Readonly<Record<string, unknown>>;
/** Checks a value that is present; `path` names it in reports. Without a `schema` it allows what no schema can say. */
export interface Check<T = unknown> {
  (value: unknown, path: string, report: Report): void;
  readonly schema?: JsonSchema;
  /** What it leaves: there is no such member, only its type. */
  readonly [checked]?: T;
}
declare const checked: unique symbol;
/** What a check leaves. */
export type Checked<C> = C extends Check<infer T> ? T : never;
/** A check for every key of `T`: a key without one does not compile. */
export type ChecksOf<T> = { readonly [Key in keyof T]-?: Check };

/** Every problem that a check finds. */
export function problemsOf(value: unknown, check: Check): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  check(value, '', each => problems.push(each));
  return problems;
}

/** A check, and what it allows. The functions that make checks have no effect: a bundle drops those it does not use. */
// @__NO_SIDE_EFFECTS__
export function allowing<T = unknown>(schema: JsonSchema, check: Check): Check<T> {
  return Object.assign(check as Check<T>, { schema });
}

/** A value as text for a report: short, on one line. */
export function show(value: unknown): string {
  const text = textOf(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** Code that is a configuration may give what JSON has no form for: a bigint, NaN, an object that has itself in it. */
function textOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint') return `the bigint ${value}n`;
  if (typeof value === 'number') return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return 'an object that JSON has no form for';
  }
}

/** A whole number (or, with `step: 'any'`, a finite number) within bounds. */
// @__NO_SIDE_EFFECTS__
export function number(min: number, max: number, unit: string, step: 'whole' | 'any' = 'whole'): Check<number> {
  const type = step === 'whole' ? 'integer' : 'number';
  return allowing({ type, minimum: min, maximum: max }, (value, path, report) => {
    const fits = typeof value === 'number' && Number.isFinite(value) && value >= min && value <= max;
    if (fits && (step === 'any' || Number.isInteger(value))) return;
    const kind = step === 'whole' ? 'a whole number' : 'a number';
    report({
      path,
      given: show(value),
      allowed: `${kind} of ${unit} from ${min} to ${max}`,
      fix: `set it to ${typeof value === 'number' && value > max ? max : min} or leave it out`,
    });
  });
}

/** A whole number as the text of a query. */
// @__NO_SIDE_EFFECTS__
export function digits(min: number, max: number): Check<string> {
  return allowing({ type: 'integer', minimum: min, maximum: max }, (value, path, report) => {
    const read = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (read >= min && read <= max) return;
    report({ path, given: show(value), allowed: `a whole number from ${min} to ${max}`, fix: 'leave it out' });
  });
}

export const boolean: Check<boolean> = allowing({ type: 'boolean' }, (value, path, report) => {
  if (typeof value === 'boolean') return;
  report({ path, given: show(value), allowed: 'true or false', fix: 'write true or false without quotes' });
});

/** Text that matches a pattern; `allowed` says it in words with an example. */
// @__NO_SIDE_EFFECTS__
export function text(pattern: RegExp, allowed: string, fix: string): Check<string> {
  return allowing({ type: 'string', pattern: pattern.source }, (value, path, report) => {
    if (typeof value === 'string' && pattern.test(value)) return;
    report({ path, given: show(value), allowed, fix });
  });
}

// @__NO_SIDE_EFFECTS__
export function oneOf<const Option extends string | number>(...options: readonly Option[]): Check<Option> {
  return allowing({ enum: options }, (value, path, report) => {
    if (options.some(option => option === value)) return;
    const near = typeof value === 'string' ? closest(value, options.map(String)) : undefined;
    report({
      path,
      given: show(value),
      allowed: options.map(option => show(option)).join(', '),
      fix: near ? `did you mean ${show(near)}?` : `choose one of them, e.g. ${show(options[0])}`,
    });
  });
}

/** One word, or else what a check wants; another text is told of both. */
// @__NO_SIDE_EFFECTS__
export function wordOr(word: string, check: Check): Check {
  return (value, path, report) => {
    if (value === word) return;
    const isText = typeof value === 'string';
    check(
      value,
      path,
      isText ? problem => report({ ...problem, allowed: `${show(word)}, or ${problem.allowed}` }) : report,
    );
  };
}

// @__NO_SIDE_EFFECTS__
export function listOf<T>(check: Check<T>): Check<readonly T[]> {
  return allowing({ type: 'array', items: check.schema ?? {} }, (value, path, report) => {
    if (!Array.isArray(value)) {
      report({ path, given: show(value), allowed: 'a list', fix: 'put square brackets around it' });
      return;
    }
    for (const [index, item] of value.entries()) check(item, `${path}[${index}]`, report);
  });
}

/** An object with any keys. */
// @__NO_SIDE_EFFECTS__
export function recordOf(check: Check, checkKey?: Check): Check {
  return allowing({ type: 'object', additionalProperties: check.schema ?? {} }, (value, path, report) => {
    if (!isObject(value, path, report)) return;
    for (const [key, item] of Object.entries(value)) {
      checkKey?.(key, join(path, key), report);
      check(item, join(path, key), report);
    }
  });
}

/** Unknown keys of one object that are told one by one: an answer, and the time it takes, has an end. */
const UNKNOWN_TOLD = 20;

/** An object with exactly these keys; `undefined` counts as left out. Unknown keys are problems. */
// @__NO_SIDE_EFFECTS__
export function object<T>(checks: ChecksOf<T>, required: readonly (keyof T & string)[] = []): Check<T> {
  const fields = checks as Readonly<Record<string, Check>>;
  const schemas = Object.entries(fields).map(([key, check]) => [key, check.schema ?? {}]);
  const schema = { type: 'object', properties: Object.fromEntries(schemas), additionalProperties: false };
  return allowing(required.length === 0 ? schema : { ...schema, required }, (value, path, report) => {
    if (!isObject(value, path, report)) return;
    let unknown = 0;
    for (const [key, item] of Object.entries(value)) {
      const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (check === undefined) {
        unknown += 1;
        if (unknown > UNKNOWN_TOLD) continue;
        const known = Object.keys(fields);
        const near = closest(key, known);
        report({
          path: join(path, key.slice(0, 60)),
          given: 'an unknown key',
          // A list that nobody reads to its end hides the nearest one.
          allowed: near && known.length > 12 ? `one of its ${known.length} keys` : known.join(', ') || 'no key at all',
          fix: near ? `did you mean ${near}?` : 'remove it',
        });
      } else if (item !== undefined) {
        check(item, join(path, key), report);
      }
    }
    if (unknown > UNKNOWN_TOLD)
      report({
        path,
        given: `${unknown} unknown keys`,
        allowed: `the first ${UNKNOWN_TOLD} are named`,
        fix: 'remove them',
      });
    for (const key of required) {
      if (value[key] === undefined) {
        report({ path: join(path, key), given: 'nothing', allowed: 'this key is required', fix: `add ${key}` });
      }
    }
  });
}

function isObject(value: unknown, path: string, report: Report): value is Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return true;
  report({ path, given: show(value), allowed: 'an object', fix: 'write { … }' });
  return false;
}

/** The place of a key, e.g. `environments.prod`. */
export function join(path: string, key: string): string {
  const name = /^[A-Za-z_$][\w-]*$/.test(key) ? key : JSON.stringify(key);
  return path === '' ? name : `${path}.${name}`;
}

/**
 * The option within two edits of what was written (or that contains it), for "did you mean". Of two that are as near, the one
 * of which only letters were left out.
 */
export function closest(written: string, options: readonly string[]): string | undefined {
  const mayBe = (option: string): boolean => Math.abs(option.length - written.length) <= mostEdits(option);
  const ranked = options
    .filter(mayBe)
    .map(option => ({ option, edits: countEdits(written.toLowerCase(), option.toLowerCase()) }))
    .sort(
      (a, b) => a.edits - b.edits || Number(keepsLetters(written, b.option)) - Number(keepsLetters(written, a.option)),
    );
  const best = ranked[0];
  if (best && best.edits <= mostEdits(best.option)) return best.option;
  return written.length >= 3 ? options.find(option => option.toLowerCase().includes(written.toLowerCase())) : undefined;
}

const mostEdits = (option: string): number => Math.max(2, Math.floor(option.length / 4));

/** The fix for a word that is none of the options: the nearest of them, or else what there is to do. */
export function meant(written: string, options: readonly string[], otherwise: string): string {
  const near = closest(written, options);
  return near === undefined ? otherwise : `did you mean ${near}?`;
}

/** Whether the letters written stand in the option, in their order. */
function keepsLetters(written: string, option: string): boolean {
  let rest = option.toLowerCase();
  for (const letter of written.toLowerCase()) {
    const at = rest.indexOf(letter);
    if (at < 0) return false;
    rest = rest.slice(at + 1);
  }
  return true;
}

/** Levenshtein distance. */
function countEdits(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current[j] = Math.min(change, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1);
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
