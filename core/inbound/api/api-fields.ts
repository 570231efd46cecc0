/** What the fields of requests to the status API may hold. */
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import { FILTER_FIELDS, FILTER_FORMS, type WrittenFilter } from '#core/inbound/search/event-filter.ts';
import { allowing, boolean, type Check, type ChecksOf, digits, number, oneOf, show, text } from '#core/problem.ts';
import { ISO_8601, parseIso } from '#core/time.ts';
import { API_FIELDS, type ApiRoute } from './api-routes.ts';

const PAGE_LIMIT = 500;
const MOST_EVENTS = 10_000_000;
const LEAVE_OUT = 'correct it, or leave it out';

interface Query extends WrittenFilter {
  readonly limit?: string;
  readonly cursor?: string;
  readonly order?: 'newest' | 'oldest';
}
export interface Body extends WrittenFilter {
  readonly why?: string;
  readonly new_key?: boolean;
  readonly force?: boolean;
  readonly body_sha256?: string;
  readonly request_id?: string;
  readonly dry_run?: boolean;
  readonly rate_per_second?: number;
  readonly limit?: number;
  readonly as_of?: string;
}

/** A text; what else is wrong with it is refused by whoever reads it, `readFilter` by the pattern. */
const words = /* @__NO_SIDE_EFFECTS__ */ (form?: RegExp): Check =>
  allowing({ type: 'string', ...given({ pattern: form?.source }) }, (value, path, report) => {
    if (typeof value === 'string') return;
    const allowed = 'a text; lists are separated by commas';
    report({ path, given: show(value), allowed, fix: 'e.g. "failed,dead_letter"' });
  });
const FILTER: ChecksOf<WrittenFilter> = {
  source: /* @__PURE__ */ words(),
  status: /* @__PURE__ */ words(FILTER_FORMS.status),
  type: /* @__PURE__ */ words(FILTER_FORMS.type),
  cause: /* @__PURE__ */ words(FILTER_FORMS.cause),
  error: /* @__PURE__ */ words(FILTER_FORMS.error),
  since: /* @__PURE__ */ words(FILTER_FORMS.moment),
  until: /* @__PURE__ */ words(FILTER_FORMS.moment),
};
const QUERY: ChecksOf<Query> = {
  ...FILTER,
  limit: /* @__PURE__ */ digits(1, PAGE_LIMIT),
  cursor: /* @__PURE__ */ words(),
  order: /* @__PURE__ */ oneOf('newest', 'oldest'),
};
const bodyChecks = (mostPerSecond: number, now: EpochMs): ChecksOf<Body> => ({
  ...FILTER,
  why: text(/\S/, 'a text that the next person understands', 'e.g. {"why":"schema fixed in v42"}'),
  new_key: boolean,
  force: boolean,
  body_sha256: text(/^[0-9a-f]{64}$/, '64 hex characters, as events get shows them', LEAVE_OUT),
  request_id: text(/^[\w-]{1,64}$/, '1 to 64 letters, digits, - and _', LEAVE_OUT),
  dry_run: boolean,
  rate_per_second: number(1, mostPerSecond, 'replays a second'),
  limit: number(1, MOST_EVENTS, 'events'),
  as_of: pastTime(now),
});

const pastTime = (now: EpochMs): Check =>
  allowing({ type: 'string', format: 'date-time', pattern: ISO_8601.source }, (value, path, report) => {
    const time = typeof value === 'string' ? parseIso(value) : undefined;
    if (time !== undefined && time <= now) return;
    const allowed = 'an ISO 8601 time that is not in the future';
    report({ path, given: show(value), allowed, fix: 'give the as_of of the dry run' });
  });

/** The checks of a route's query, by name. */
export const queryFields = (route: ApiRoute) => chosen(QUERY, API_FIELDS[route].query);

/** The checks of a route's body, by name. `mostPerSecond`: what the sweeper can send. */
export const bodyFields = (route: ApiRoute, mostPerSecond: number, now: EpochMs) =>
  chosen(bodyChecks(mostPerSecond, now), API_FIELDS[route].body);

function chosen<T>(checks: ChecksOf<T>, names: readonly (keyof T)[]): Readonly<Record<string, Check>> {
  return Object.fromEntries(names.map(name => [name, checks[name]]));
}

/** The fields that say which events are meant. A value that is no text was refused already. */
export function filterIn(fields: WrittenFilter): WrittenFilter {
  return Object.fromEntries(
    FILTER_FIELDS.flatMap(name => (typeof fields[name] === 'string' ? [[name, fields[name]]] : [])),
  );
}
