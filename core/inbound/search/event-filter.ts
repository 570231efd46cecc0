/**
 * Which events a person means: the same words in the CLI, the status API and a replay job, read once and checked all
 * together. A filter is plain data, so that a job can store it and mean the same events days later.
 */

import { given } from '#core/given.ts';
import { type EpochMs, EVENT_STATUSES, type EventStatus, type SourceId, splitEventPk } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { type ConfigProblem, meant } from '#core/problem.ts';
import { DAY_MS, HOUR_MS, ISO_8601, MINUTE_MS, parseIso, SECOND_MS, toIso } from '#core/time.ts';
import { errorPattern } from './error-pattern.ts';

export interface EventFilter {
  readonly sources: readonly SourceId[];
  /** Absent: every status. */
  readonly statuses?: readonly EventStatus[];
  /** An event type, or `invoice.*` for everything below it. */
  readonly type?: string;
  /** The cause of a death, or of the last failed attempt. */
  readonly cause?: string;
  /** Its last error, as `errorPattern` makes it: numbers and ids are `…`. */
  readonly error?: string;
  /** Received at or after. */
  readonly since: EpochMs;
  /** Received before. */
  readonly until: EpochMs;
}

/** A filter as a person writes it; lists are separated by commas. */
export interface WrittenFilter {
  readonly source?: string | undefined;
  readonly status?: string | undefined;
  readonly type?: string | undefined;
  readonly cause?: string | undefined;
  /** As it was, or with numbers and ids as `…`. */
  readonly error?: string | undefined;
  /** ISO 8601, or how long ago: `90s`, `30m`, `24h`, `7d`. Default `24h`. */
  readonly since?: string | undefined;
  /** The same. Default now. */
  readonly until?: string | undefined;
}

export const FILTER_FIELDS = ['source', 'status', 'type', 'cause', 'error', 'since', 'until'] as const;

const AGO = /^\d{1,6}[smhd]$/;
const STATUS = EVENT_STATUSES.join('|');
/** How each is written. */
export const FILTER_FORMS = {
  status: new RegExp(`^\\s*(?:${STATUS})\\s*(?:,\\s*(?:${STATUS})\\s*)*$`),
  type: /^[^*\s]+(?:\.\*)?$/,
  cause: /^[\w.-]+$/,
  error: /^[^\p{Cc}]{1,400}$/u,
  moment: new RegExp(`${AGO.source}|${ISO_8601.source}`),
};

export type ReadFilter =
  | { readonly kind: 'filter'; readonly filter: EventFilter }
  | { readonly kind: 'wrong'; readonly problems: readonly ConfigProblem[] };

const DEFAULT_SINCE = '24h';
const UNIT_MS: Readonly<Record<string, number>> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** Reads and checks a filter; every problem says what was given, what is allowed and what to do. A cause or an error without a status means dead letters. */
export function readFilter(written: WrittenFilter, sources: readonly SourceId[], now: EpochMs): ReadFilter {
  const problems: ConfigProblem[] = [];
  const chosen = readList('source', written.source, sources, problems);
  const statuses = readList('status', written.status, EVENT_STATUSES, problems);
  const type = readText('type', written.type, FILTER_FORMS.type, 'a type, or a prefix such as invoice.*', problems);
  const cause = readText('cause', written.cause, FILTER_FORMS.cause, 'a cause such as handler_error', problems);
  const error = readText(
    'error',
    written.error,
    FILTER_FORMS.error,
    'an error of 1 to 400 characters on one line',
    problems,
  );
  const since = readTime('since', written.since ?? DEFAULT_SINCE, now, problems);
  const until = written.until === undefined ? now : readTime('until', written.until, now, problems);
  if (problems.length === 0 && since > now) {
    problems.push({
      path: 'since',
      given: `${toIso(since)}, which is in the future (it is ${toIso(now)})`,
      allowed: 'a moment in the past',
      fix: 'move since back, e.g. 24h',
    });
  } else if (problems.length === 0 && since >= until) {
    problems.push({
      path: 'since',
      given: `${toIso(since)}, which is not before until (${toIso(until)})`,
      allowed: 'a window with a beginning before its end',
      fix: 'move since back, e.g. 7d',
    });
  }
  if (problems.length > 0) return { kind: 'wrong', problems };
  const implied: readonly EventStatus[] | undefined =
    statuses ?? (cause === undefined && error === undefined ? undefined : ['dead_letter']);
  return {
    kind: 'filter',
    filter: {
      sources: chosen ?? sources,
      since,
      until,
      ...given({ statuses: implied, type, cause, error: error === undefined ? undefined : errorPattern(error) }),
    },
  };
}

/** A moment: ISO 8601, or how long ago. Undefined when it is neither. */
export function readMoment(text: string, now: EpochMs): EpochMs | undefined {
  return AGO.test(text) ? now - Number(text.slice(0, -1)) * (UNIT_MS[text.slice(-1)] ?? 0) : parseIso(text);
}

/** True when the event, as it is now, is one the filter means. */
export function matchesFilter(item: EventItem, filter: EventFilter): boolean {
  return (
    filter.sources.includes(splitEventPk(item.pk).sourceId) &&
    item.receivedAt >= filter.since &&
    item.receivedAt < filter.until &&
    (filter.statuses === undefined || filter.statuses.some(it => it === item.status)) &&
    matchesType(item.eventType, filter.type) &&
    (filter.cause === undefined || causeOf(item) === filter.cause) &&
    (filter.error === undefined || errorPattern(item.lastError ?? '') === filter.error)
  );
}

export function matchesType(eventType: string, wanted: string | undefined): boolean {
  if (wanted === undefined || wanted === eventType) return true;
  return wanted.endsWith('.*') && eventType.startsWith(wanted.slice(0, -1));
}

/** Why an event died, or why its last attempt failed. */
function causeOf(item: EventItem): string | undefined {
  return item.cause ?? item.recentAttempts?.at(-1)?.cause;
}

function readList<T extends string>(
  path: string,
  text: string | undefined,
  allowed: readonly T[],
  problems: ConfigProblem[],
): readonly T[] | undefined {
  if (text === undefined) return undefined;
  const found: T[] = [];
  for (const word of text.split(',').map(it => it.trim())) {
    const known = allowed.find(it => it === word);
    if (known !== undefined) found.push(known);
    else {
      const fix = meant(word, allowed, 'give one of them');
      problems.push({ path, given: `"${word.slice(0, 60)}"`, allowed: allowed.join(', '), fix });
    }
  }
  return found;
}

function readText(
  path: string,
  text: string | undefined,
  pattern: RegExp,
  allowed: string,
  problems: ConfigProblem[],
): string | undefined {
  if (text === undefined || pattern.test(text)) return text;
  problems.push({ path, given: `"${text.slice(0, 60)}"`, allowed, fix: 'copy it from an event, or leave it out' });
  return undefined;
}

function readTime(path: string, text: string, now: EpochMs, problems: ConfigProblem[]): EpochMs {
  const moment = readMoment(text, now);
  if (moment !== undefined && moment >= 0 && moment < 1e13) return moment;
  const allowed = 'a time (2026-11-21T03:00Z) or how long ago (90s, 30m, 24h, 7d)';
  problems.push({ path, given: `"${text.slice(0, 60)}"`, allowed, fix: 'write it in one of these forms' });
  return 0;
}
