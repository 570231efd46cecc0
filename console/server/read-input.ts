/** What a page sends is checked like what a person types. */
import { type EventFilter, FILTER_FIELDS, type WrittenFilter } from '#core/inbound/search/event-filter.ts';
import { readMeant } from '#operator/events/list-events.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError, usageError } from '#operator/operator-error.ts';

/** The filter in an address, but for `where`. Throws OperatorError (usage) that names everything wrong with it. */
export function meantBy(operator: Operator, query: URLSearchParams, fallback: WrittenFilter = {}): EventFilter {
  const written = Object.fromEntries(
    FILTER_FIELDS.flatMap(name => {
      const text = query.get(name) || fallback[name];
      return text === undefined ? [] : [[name, text]];
    }),
  );
  const read = readMeant(operator, written);
  if (read.kind === 'filter') return read.filter;
  const lines = read.problems.map(({ path, given, allowed, fix }) => `${path}: ${given}; allowed: ${allowed}; ${fix}`);
  throw new OperatorError(lines.join('\n'), 'usage');
}

/** Throws OperatorError (usage). */
export function textOf(value: unknown, name: string, longest: number): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= longest) return value;
  throw usageError(
    `${name} is missing or too long`,
    `a text of 1 to ${longest} characters`,
    `give ${name} as such a text`,
  );
}

/** Why somebody does this. Throws OperatorError (usage). */
export function reasonOf(body: Readonly<Record<string, unknown>>): string {
  return textOf(body['why'], 'why', 500).trim();
}

/** Throws OperatorError (usage). */
export function wholeOf(text: string, name: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw usageError(`${name}: "${text.slice(0, 40)}"`, `a whole number from ${min} to ${max}`, `e.g. ${min}`);
}
