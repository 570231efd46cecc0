import type { Command } from 'commander';
import { given } from '#core/given.ts';
import { EVENT_STATUSES } from '#core/glossary.ts';
import type { EventFilter, WrittenFilter } from '#core/inbound/search/event-filter.ts';
import { meant } from '#core/problem.ts';
import { toIso } from '#core/time.ts';
import { stateOfWord } from '#core/words.ts';
import { readMeant } from '#operator/events/list-events.ts';
import { OperatorError, usageError } from './cli-error.ts';
import type { Run } from './run.ts';

/** The options that say which events are meant, the same words everywhere. */
export function addFilterOptions<C extends Command>(command: C): C {
  return command
    .option('--source <names>', 'sources, separated by commas (default: all)')
    .option('--status <list>', `one or more of ${EVENT_STATUSES.join(', ')}, separated by commas`)
    .option('--type <type>', 'event type, or a prefix such as invoice.*')
    .option('--cause <cause>', 'cause of death, or of the last failure; without --status it means only dead letters')
    .option('--error <text>', 'last error, whatever numbers and ids are in it; without --status only dead letters')
    .option('--since <when>', 'received since then: 2026-11-21T03:00Z, or 30m, 24h, 7d ago (default: 24h)')
    .option('--until <when>', 'received before then (default: now)');
}

/** Throws OperatorError (usage) that names everything wrong with the filter. */
export function filterOf(run: Run, options: WrittenFilter, now = run.clock.now()): EventFilter {
  const { status } = options;
  const states = status?.split(',').map(word => stateOfWord(word.trim(), EVENT_STATUSES));
  const read = readMeant(run, { ...options, ...given({ status: states?.join(',') }) }, now);
  if (read.kind === 'filter') return read.filter;
  const lines = read.problems.map(
    ({ path, given, allowed, fix }) => `--${path}: ${given}\n  allowed: ${allowed}\n  fix:     ${fix}`,
  );
  throw new OperatorError(lines.join('\n'), 'usage');
}

/** Options of a filter beside ids would be read by nobody: an id that the filter does not mean would be taken all the same. Throws OperatorError (usage). */
export function refuseBesideIds(options: Readonly<Record<string, unknown>>, names: readonly string[]): void {
  refuseBeside('ids', options, names);
}

/** The same beside what says by itself what is meant. Throws OperatorError (usage). */
export function refuseBeside(what: string, options: object, names: readonly string[]): void {
  const name = Object.entries(options).find(([each, value]) => names.includes(each) && value !== undefined)?.[0];
  if (name !== undefined) throw usageError(`--${name} beside ${what}`, 'one of the two', `leave out --${name}`);
}

/** A whole number out of an option. */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  const example = Math.max(min, Math.min(max, 50));
  throw usageError(
    `--${name}: "${text.slice(0, 40)}"`,
    `a whole number from ${min} to ${max}`,
    `e.g. --${name} ${example}`,
  );
}

/** What was given, if it is one of these. Throws OperatorError (usage) with the nearest. */
export function oneOf<T extends string>(name: string, text: string, allowed: readonly T[], fix = 'one of these'): T {
  const found = allowed.find(each => each === text);
  if (found !== undefined) return found;
  const given = `${name}: "${text.slice(0, 40)}"`;
  throw usageError(given, allowed.join(', '), meant(text, allowed, fix));
}

/** `--since` as the delivery API takes it. Throws OperatorError (usage). */
export function isoSince(run: Run, since: string | undefined): string | undefined {
  return since === undefined ? undefined : toIso(filterOf(run, { since }).since);
}
