/** Reads the fields of a request, each checked, every problem kept. */

import type { EpochMs } from '#core/glossary.ts';
import { FILTER_FIELDS, type WrittenFilter } from '#core/inbound/search/event-filter.ts';
import { type ConfigProblem, closest, show } from '#core/problem.ts';
import { capText } from '#core/scan/text.ts';
import { parseIso } from '#core/time.ts';

/** Bytes kept of a reason. */
const REASON_LIMIT = 500;
const LEAVE_OUT = 'correct it, or leave it out';

export class ApiInput {
  readonly problems: ConfigProblem[] = [];
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>, known: readonly string[]) {
    this.#fields = fields;
    for (const name of Object.keys(fields).filter(it => !known.includes(it))) {
      const near = closest(name, known);
      const allowed = known.length === 0 ? 'no field at all' : known.join(', ');
      this.problem(name.slice(0, 60), 'an unknown field', allowed, near ? `did you mean ${near}?` : 'leave it out');
    }
  }

  problem(path: string, given: string, allowed: string, fix: string): void {
    this.problems.push({ path, given, allowed, fix });
  }

  reason(): string {
    const value = this.#fields['why'];
    if (typeof value === 'string' && value.trim() !== '') return capText(value.trim(), REASON_LIMIT);
    this.problem('why', show(value), 'a text that the next person understands', 'e.g. {"why":"schema fixed in v42"}');
    return '';
  }

  text(name: string, pattern: RegExp, allowed: string): string | undefined {
    const value = this.#fields[name];
    if (value === undefined || (typeof value === 'string' && pattern.test(value))) return value;
    this.problem(name, show(value), allowed, LEAVE_OUT);
    return undefined;
  }

  /** False where it is left out. */
  boolean(name: string): boolean {
    const value = this.#fields[name];
    if (value === undefined || typeof value === 'boolean') return value ?? false;
    this.problem(name, show(value), 'true or false', LEAVE_OUT);
    return false;
  }

  number(name: string, min: number, max: number): number | undefined {
    const value = this.#fields[name];
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
    this.problem(name, show(value), `a whole number from ${min} to ${max}`, LEAVE_OUT);
    return undefined;
  }

  /** The same out of a query parameter, which is a text. */
  digits(name: string, min: number, max: number): number | undefined {
    const value = this.#fields[name];
    if (value === undefined) return undefined;
    const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    this.problem(name, show(value), `a whole number from ${min} to ${max}`, LEAVE_OUT);
    return undefined;
  }

  oneOf<const T extends string>(name: string, options: readonly T[]): T | undefined {
    const value = this.#fields[name];
    const found = options.find(it => it === value);
    if (value !== undefined && found === undefined) this.problem(name, show(value), options.join(' or '), LEAVE_OUT);
    return found;
  }

  /** A time that is not in the future. */
  pastTime(name: string, now: EpochMs): EpochMs | undefined {
    const value = this.#fields[name];
    if (value === undefined) return undefined;
    const time = typeof value === 'string' ? parseIso(value) : undefined;
    if (time !== undefined && time <= now) return time;
    this.problem(name, show(value), 'an ISO 8601 time that is not in the future', 'give the as_of of the dry run');
    return undefined;
  }

  /** The fields that say which events are meant. */
  filter(): WrittenFilter {
    const written = FILTER_FIELDS.map(name => {
      const value = this.#fields[name];
      if (value === undefined || typeof value === 'string') return [name, value] as const;
      this.problem(name, show(value), 'a text; lists are separated by commas', 'e.g. {"status":"failed,dead_letter"}');
      return [name, undefined] as const;
    });
    return Object.fromEntries(written);
  }
}
