/** Reads the fields of a JSON body, each checked, every problem kept. */
import { type ConfigProblem, show } from '../config/check-value.ts';
import type { EpochMs } from '../glossary.ts';
import { parseIso } from '../time.ts';
import { decodeJsonObject } from './decode-json-object.ts';
import type { WrittenFilter } from './event-filter.ts';
import { capText } from './text.ts';

const TEXT_LIMIT = 500;
const FILTER_FIELDS = ['source', 'status', 'type', 'cause', 'since', 'until'] as const;

export class ApiInput {
  readonly problems: ConfigProblem[] = [];
  private readonly fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.fields = fields;
  }

  /** Undefined when the text is not a JSON object; an absent body is an empty one. */
  static parse(body: string | undefined): ApiInput | undefined {
    const fields = decodeJsonObject(body === undefined || body.trim() === '' ? '{}' : body);
    return fields && new ApiInput(fields);
  }

  problem(path: string, given: string, allowed: string, fix: string): void {
    this.problems.push({ path, given, allowed, fix });
  }

  required(name: string): string {
    const value = this.fields[name];
    if (typeof value === 'string' && value.trim() !== '') return capText(value.trim(), TEXT_LIMIT);
    this.problem(name, show(value), 'a text that the next person understands', `e.g. {"${name}":"schema fixed"}`);
    return '';
  }

  text(name: string, pattern: RegExp, allowed: string): string | undefined {
    const value = this.fields[name];
    if (value === undefined || (typeof value === 'string' && pattern.test(value))) return value;
    this.problem(name, show(value), allowed, 'leave it out, or correct it');
    return undefined;
  }

  boolean(name: string): boolean | undefined {
    const value = this.fields[name];
    if (value === undefined || typeof value === 'boolean') return value;
    this.problem(name, show(value), 'true or false', 'leave it out, or correct it');
    return undefined;
  }

  number(name: string, min: number, max: number): number | undefined {
    const value = this.fields[name];
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
    this.problem(name, show(value), `a whole number from ${min} to ${max}`, 'leave it out, or correct it');
    return undefined;
  }

  /** A time that is not in the future. */
  time(name: string, now: EpochMs): EpochMs | undefined {
    const value = this.fields[name];
    if (value === undefined) return undefined;
    const time = typeof value === 'string' ? parseIso(value) : undefined;
    if (time !== undefined && time <= now) return time;
    this.problem(name, show(value), 'an ISO 8601 time that is not in the future', 'give the one of the dry run');
    return undefined;
  }

  /** The fields that say which events are meant. */
  filter(): WrittenFilter {
    const written = FILTER_FIELDS.map(name => {
      const value = this.fields[name];
      if (value !== undefined && typeof value !== 'string')
        this.problem(
          name,
          show(value),
          'a text; lists are separated by commas',
          'e.g. {"status":"failed,dead_letter"}',
        );
      return [name, typeof value === 'string' ? value : undefined] as const;
    });
    return Object.fromEntries(written);
  }
}
