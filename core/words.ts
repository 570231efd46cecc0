/**
 * How people are told what is: states, causes and waits. The console, the portal, the command line and the API take these
 * words from here, and have none of their own (test/surfaces/words.test.ts).
 */

/** Of events, deliveries, endpoints, jobs and attempts. A state that is not here is its own word. */
const STATES: Readonly<Record<string, string>> = {
  pending: 'waiting',
  processing: 'running',
  failed: 'retrying',
  deferred: 'on hold',
  dead_letter: 'dead',
  skipped_stale: 'stale',
  holding: 'on hold',
  untried: 'not tried yet',
  pulled: 'waits for its reader',
  'failed attempt': 'failed',
  ALARM: 'in alarm',
  INSUFFICIENT_DATA: 'no data',
};

export const stateWord = (state: string): string => STATES[state] ?? state;

/** The state that a person means by a word; what is no word stays. */
export const stateOfWord = (word: string, known: readonly string[]): string =>
  known.includes(word) ? word : (known.find(state => stateWord(state) === word.replaceAll('-', ' ')) ?? word);

/** What follows `holdfast-<environment>-` in the name of an alarm, whatever its gateway's prefix; another name as it is. */
export const shortAlarm = (name: string, environment: string): string =>
  name.replace(new RegExp(`^(?:[a-z][a-z0-9]*-)?holdfast-${environment}-`), '');

/** Why an event failed, and how an endpoint answered. */
const CAUSES: Readonly<Record<string, string>> = {
  permanent: 'the handler gave it up',
  handler_error: 'the handler failed',
  unhandled: 'no handler takes this type',
  bad_outcome: 'the handler gave no valid answer',
  timeout: 'no answer in time',
  dependency: 'a service it needs failed',
  attempts_spent: 'every try failed',
  retry_after: 'the handler asked for a later try',
  deferred_too_long: 'it was on hold too long',
  deferred: 'it was put on hold',
  too_old: 'it came too late',
  unclaimable: 'it could not be run',
  payload_missing: 'its body is gone',
  payload_mismatch: 'its body is not the one that was recorded',
  unparsable_payload: 'its body cannot be read',
  schema_mismatch: 'its body does not fit the schema',
  effects_not_applied: 'its writes were not made',
  effect_refused: 'its writes were refused',
  transaction_conflict: 'others wrote the same items',
  provider_changed: 'its source has another provider now',
  server_error: 'its server failed',
  message_refused: 'it refused the message',
  denied: 'it denied access',
  gone: 'it says that it is gone',
  busy: 'it is overloaded',
  throttled: 'it asked us to wait',
  redirect: 'it sent us elsewhere',
  other_status: 'an answer without a meaning',
  body_unreadable: 'its body is gone',
  dns: 'its name was not found',
  connect: 'it could not be reached',
  reset: 'it broke the connection off',
  closed_early: 'it closed the connection',
  bad_http: 'its answer was not HTTP',
  tls: 'its certificate was refused',
  forbidden_address: 'its address is not allowed',
  own_fault: 'we failed',
  internal_error: 'we failed',
  requested: 'its answer asked for it',
  failure_rate: 'too many of its tries failed',
  failing: 'it kept failing',
};

/** A cause without words of its own loses its underscores. */
export const causeWords = (cause: string): string => CAUSES[cause] ?? cause.replaceAll('_', ' ');

/** Answers of an address where nothing takes webhooks: of every message the same. Whoever judges reads them here. */
export const WRONG_ADDRESS: readonly number[] = [404, 405];

/** `503, it is overloaded`, or why there was no answer. */
export const answerWords = (code: number | null | undefined, of: string): string =>
  of === 'ok'
    ? String(code ?? 'accepted')
    : `${code ?? 'no answer'}, ${WRONG_ADDRESS.includes(code ?? 0) ? 'nothing takes webhooks at this address' : causeWords(of)}`;

/** Why nothing is sent to an endpoint now. */
const HOLDS: Readonly<Record<string, string>> = {
  paused: 'the endpoint is paused',
  disabled: 'the endpoint is disabled',
  deleted: 'the endpoint is deleted',
  breaker: 'the endpoint keeps failing',
  throttled: 'the endpoint asked us to wait',
  rate: 'the endpoint has had all that its rate allows',
  crash: 'we failed while we sent to it',
  pulled: 'nothing is sent: its owner reads',
};

export const holdWords = (why: string | null): string => HOLDS[why ?? ''] ?? HOLDS['deleted'] ?? '';

/** Why a delivery is not sent now. */
export const heldWords = (why: string | null): string =>
  why === 'pulled' ? stateWord(why) : `on hold: ${holdWords(why)}`;

/** Where an endpoint's messages go. Null: nothing is sent. */
export const addressWords = (url: string | null): string => url ?? 'read by its owner';

/** Whether nobody needs to look at an endpoint. */
export const isWellState = (state: string): boolean => ['ok', 'untried', 'pulled'].includes(state);

/** What the delivery API says of an endpoint in each list. Times are ISO 8601. */
export interface EndpointState {
  readonly gate: string;
  readonly state: string;
  /** Of a hold its kind; of a shut gate the reason that a person gave. */
  readonly why: string | null;
  /** `operator`, `customer` or `system`; null while it is open. */
  readonly closed_by: string | null;
  readonly closed_at: string | null;
  readonly failing_since: string | null;
  readonly failed_in_a_row: number;
  readonly next_trial_at: string | null;
  readonly last_success_at: string | null;
  readonly last_failure: {
    readonly at: string | null;
    readonly class: string | null;
    readonly code: number | null;
  } | null;
  readonly success_rate_24h: number | null;
}

/** Who pauses and disables, as our own people call them. */
const CLOSERS: Readonly<Record<string, string>> = { operator: 'an operator', customer: 'the customer', system: 'us' };

/** `by an operator since 14:02: “ada: their deploy”`: who closed it, when, and why. */
function closedWords(
  { closed_by: by, closed_at: at, why }: EndpointState,
  clock: (iso: string) => string,
  closers: Readonly<Record<string, string>>,
): string {
  const who = by === null ? '' : `by ${closers[by] ?? by}`;
  const since = at ? `since ${clock(at)}` : '';
  const because = why === null || why === '' ? '' : by === 'system' ? causeWords(why) : `“${why}”`;
  return [[who, since].filter(Boolean).join(' '), because].filter(Boolean).join(': ');
}

/** What waits for an endpoint, as the delivery API counts it. */
export interface Waiting {
  readonly count: number;
  /** Of these, those that wait for another try; of an ordered endpoint none. Absent: a deployment that does not say. */
  readonly retrying?: number;
  /** There are more than `count`. */
  readonly more: boolean;
  /** How many, from 10,000 on. */
  readonly about: number | null;
}

/** `28 waiting, 2 retrying`; nothing where none waits. */
export function waitsWords({ count, retrying = 0, more, about }: Waiting): string {
  if (about !== null) return `about ${countWords([['pending', about]])}`;
  if (more) return `${inThousands(count)} or more ${stateWord('pending')}`;
  return countWords([
    ['pending', count - retrying],
    ['retrying', retrying],
  ]);
}

/** Deliveries that are dead now. `more`: at least so many. */
export const deadWords = (dead: number, more: boolean): string =>
  dead === 0 ? '' : `${inThousands(dead)}${more ? ' or more' : ''} ${stateWord('dead')}`;

/** Deliveries by their state. */
export const countWords = (counts: readonly (readonly [state: string, count: number])[]): string =>
  counts.flatMap(([state, n]) => (n === 0 ? [] : [`${inThousands(n)} ${stateWord(state)}`])).join(', ');

/** An endpoint's breaker remembers at least this many results: a longer row of failures may be cut off. */
const REMEMBERED = 20;

/**
 * An endpoint in one line; where nobody knows since when it fails, when it last accepted something: `on hold after 5 failed tries; next try 14:32; fails since 14:02; last answer 503, it is overloaded`.
 * `clock`: a time as this reader sees times.
 */
export function endpointWords(of: EndpointState, clock: (iso: string) => string, closers = CLOSERS): string {
  const { state, why, failing_since: since, failed_in_a_row: tries, next_trial_at: next, last_failure: last } = of;
  const rate = of.success_rate_24h === null ? '' : `${Math.round(of.success_rate_24h * 100)} % accepted in 24 hours`;
  const answer = last?.class ? `last answer ${answerWords(last.code, last.class)}` : '';
  const begun = since === null ? '' : `since ${clock(since)}`;
  const success = of.last_success_at;
  const isAfter = success !== null && (last?.at ?? '') > success;
  const accepted = success === null ? 'it has never accepted one' : isAfter ? `last accepted ${clock(success)}` : '';
  const then = next === null ? '' : `next try ${clock(next)}`;
  const many = `${tries >= REMEMBERED ? `${REMEMBERED} or more` : tries} failed ${tries === 1 ? 'try' : 'tries'}`;
  if (state === 'untried') return 'nothing was sent to it yet';
  if (state === 'pulled')
    return success === null ? 'nothing was acknowledged yet' : `last acknowledged ${clock(success)}`;
  if (state === 'ok') return rate;
  const parts =
    state === 'holding'
      ? [
          why === 'breaker' && tries > 0 ? `on hold after ${many}` : `on hold: ${holdWords(why)}`,
          then,
          begun === '' ? '' : `fails ${begun}`,
          answer,
        ]
      : state === 'failing'
        ? [begun === '' ? 'fails' : `fails ${begun}`, then, begun === '' ? accepted : '', answer, rate]
        : [closedWords(of, clock, closers), of.closed_by === 'system' && last?.class === why ? '' : answer];
  return parts.filter(part => part !== '').join('; ');
}

/** The same with what waits for it and what is dead, where that was counted. */
export function unwellWords(
  of: EndpointState & { readonly waiting?: Waiting; readonly dead?: number; readonly dead_more?: boolean },
  clock: (iso: string) => string,
): string {
  const waits = of.waiting === undefined ? '' : waitsWords(of.waiting);
  return [endpointWords(of, clock), waits, deadWords(of.dead ?? 0, of.dead_more ?? false)].filter(Boolean).join('; ');
}

/** Tries of the last 24 hours, the running hour first. */
export interface DayCounts {
  readonly successes: readonly number[];
  readonly failures: readonly number[];
}

/** `1,204 tries in 24 hours, 37 failed, most of them 3 hours ago (12 of 30)`. */
export function dayWords({ successes, failures }: DayCounts): string {
  const sum = (counts: readonly number[]): number => counts.reduce((all, n) => all + n, 0);
  const [ok, failed] = [sum(successes), sum(failures)];
  if (ok + failed === 0) return 'nothing was sent in 24 hours';
  const tries = `${inThousands(ok + failed)} ${ok + failed === 1 ? 'try' : 'tries'} in 24 hours`;
  if (failed === 0) return `${tries}, none failed`;
  const worst = failures.indexOf(Math.max(...failures));
  const at = worst === 0 ? 'in this hour' : worst === 1 ? 'in the hour before this' : `${worst} hours ago`;
  const of = `${inThousands(failures[worst] ?? 0)} of ${inThousands((failures[worst] ?? 0) + (successes[worst] ?? 0))}`;
  return `${tries}, ${inThousands(failed)} failed, most of them ${at} (${of})`;
}

const inThousands = (n: number): string => n.toLocaleString('en-US');
