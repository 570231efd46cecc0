/** What the fields of requests may hold: one table of checks, given the names that the API writes. */
import { isSchedule, SCHEDULES } from '#core/outbound/drain/schedule.ts';
import { FILTER_OPS, MAX_CLAUSES, MAX_DEPTH } from '#core/outbound/fan-out/content-filter.ts';
import { FORMATS, SIGNATURE_PROFILES, SIGNED_LIKE } from '#core/outbound/protocol/items.ts';
import { MAX_BODY_BYTES } from '#core/outbound/publish/message-body.ts';
import { boolean, type Check, listOf, number, object, oneOf, show, text } from '#core/problem.ts';
import { parseIso } from '#core/time.ts';

/** A check of what the given ones allow, with a largest length. */
export const listUpTo =
  (most: number, check: Check): Check =>
  (value, path, report) => {
    if (Array.isArray(value) && value.length > most)
      return report({ path, given: `${value.length} of them`, allowed: `at most ${most}`, fix: 'give fewer' });
    listOf(check)(value, path, report);
  };
/** Also null, which takes the value away. */
const orNull =
  (check: Check): Check =>
  (value, path, report) => {
    if (value !== null) check(value, path, report);
  };

export const uid = text(/^[A-Za-z0-9_.-]{1,100}$/, '1 to 100 letters, digits, _ . and -', 'choose another uid');
export const why = text(/^[^\p{Cc}]{0,500}$/u, 'text of up to 500 characters', 'shorten it');
const TYPE = /^[A-Za-z0-9_.-]{1,100}$/;
export const typeName = text(TYPE, '1 to 100 letters, digits, _ . and -', 'rename the type');
const pattern = text(
  /^(?:[A-Za-z0-9_.-]{1,100}|[A-Za-z0-9_.-]{0,99}\*)$/,
  'a type, or a beginning and *',
  'e.g. "invoice.*"',
);
export const channel = text(TYPE, '1 to 100 letters, digits, _ . and -', 'rename the channel');
export const apiVersion = text(/^[!-~]{1,40}$/, '1 to 40 printable ASCII characters', 'shorten it');
export const time: Check = (value, path, report) => {
  if (typeof value === 'string' && parseIso(value) !== undefined) return;
  report({ path, given: show(value), allowed: 'an ISO 8601 time', fix: 'e.g. "2026-11-22T08:00:00Z"' });
};
const metadata: Check = (value, path, report) => {
  const fits = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (fits && JSON.stringify(value).length <= 2_048) return;
  report({ path, given: show(value), allowed: 'an object of at most 2 KB', fix: 'shorten it' });
};
const schedule: Check = (value, path, report) => {
  if (typeof value === 'string' && Object.hasOwn(SCHEDULES, value)) return;
  if (Array.isArray(value) && value.every(Number.isInteger) && isSchedule(value as number[])) return;
  const names = Object.keys(SCHEDULES).join(', ');
  report({ path, given: show(value), allowed: `1 to 20 waits of 1 to 86400 s, or ${names}`, fix: 'leave it out' });
};

/** Of an application. `retentionDays`: the environment's, which no limit exceeds. */
export const applicationFields = (retentionDays: number) => ({
  name: text(/^[^\p{Cc}]{1,200}$/u, 'text of 1 to 200 characters', 'name it'),
  metadata,
  limits: object({
    endpoints: number(1, 10_000, 'endpoints'),
    publish_per_second: number(1, 1_000, 'messages a second'),
    payload_bytes: number(1_024, MAX_BODY_BYTES, 'bytes'),
    retention_days: number(1, retentionDays, 'days (no longer than the environment)'),
  }),
  format: oneOf(...FORMATS),
  schedule: orNull(schedule),
  default_api_version: orNull(apiVersion),
});

const clause: Check = (value, path, report) => {
  object(
    {
      path: text(/^[^\p{Cc}]{1,200}$/u, 'a path by dots', 'e.g. "data.amount"'),
      op: oneOf(...FILTER_OPS),
      value: () => undefined,
    },
    ['path', 'op'],
  )(value, path, report);
  const { path: at, op, value: to } = (value ?? {}) as Record<string, unknown>;
  if (typeof at === 'string' && at.replace(/^data\./, '').split('.').length > MAX_DEPTH)
    report({ path: `${path}.path`, given: show(at), allowed: `at most ${MAX_DEPTH} steps`, fix: 'shorten it' });
  const scalar = (each: unknown): boolean => each === null || ['string', 'number', 'boolean'].includes(typeof each);
  const list = Array.isArray(to) && to.length <= 100 && to.every(scalar);
  if (op === 'exists' ? to !== undefined && typeof to !== 'boolean' : op === 'in' ? !list : !scalar(to))
    report({
      path: `${path}.value`,
      given: show(to),
      allowed: `a value for ${String(op)}`,
      fix: 'a text, number, truth value or null; a list for in',
    });
};
const filter: Check = (value, path, report) => {
  object({ all: listUpTo(MAX_CLAUSES, clause), any: listUpTo(MAX_CLAUSES, clause) })(value, path, report);
  if (typeof value === 'object' && value !== null && 'all' in value === 'any' in value)
    report({ path, given: show(value), allowed: 'either all or any', fix: 'write {"all":[…]}' });
};

/** Names that no endpoint sets: they are the protocol's, ours, or a proxy's. */
const DENIED =
  /^(?:host|content-.*|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*|user-agent|accept-encoding|webhook-.*|x-amz.*|x-forwarded-.*|forwarded|traceparent|cookie|x-idempotency-key)$/;
const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** Headers of an endpoint: at most 20; `prefix` is that of our own. */
const headersCheck =
  (prefix: string): Check =>
  (value, path, report) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return report({ path, given: show(value), allowed: 'an object', fix: 'write {"name":"value"}' });
    const entries = Object.entries(value);
    if (entries.length > 20)
      report({ path, given: `${entries.length} headers`, allowed: 'at most 20', fix: 'give fewer' });
    for (const [name, text] of entries) {
      const lower = name.toLowerCase();
      const at = `${path}.${name.slice(0, 60)}`;
      if (!NAME.test(lower) || DENIED.test(lower) || lower.startsWith(prefix))
        report({ path: at, given: 'this name', allowed: 'a header of your own', fix: 'choose another name' });
      if (typeof text !== 'string' || !/^[ -~]{0,2048}$/.test(text))
        report({ path: at, given: 'its value', allowed: 'up to 2,048 printable ASCII characters', fix: 'correct it' });
    }
  };

/** What `signature` puts into a request under these names is ours. */
const OUR_OWN = ['event', 'attempt', 'version', 'sequence', 'key-id', 'test'];
const compatibilityCheck =
  (prefix: string): Check =>
  (value, path, report) => {
    const ours = OUR_OWN.map(name => prefix + name);
    const header: Check = (given, at, tell) => {
      const fits = typeof given === 'string' && NAME.test(given) && !DENIED.test(given) && !ours.includes(given);
      if (fits) return;
      const told = { path: at, given: show(given), allowed: 'the name of a header in lower case' };
      tell({ ...told, fix: 'e.g. "x-convoy-signature"' });
    };
    object(
      {
        like: oneOf(...SIGNED_LIKE),
        header,
        hash: oneOf('sha256', 'sha512'),
        encoding: oneOf('hex', 'base64'),
        timed: boolean,
      },
      ['like'],
    )(value, path, report);
    const { like, ...more } = (value ?? {}) as Readonly<Record<string, unknown>>;
    if (like === 'svix' && Object.keys(more).length > 0)
      report({
        path,
        given: Object.keys(more).join(', '),
        allowed: 'like alone: svix has one form',
        fix: 'leave it out',
      });
    if (like === 'outpost' && typeof more['header'] === 'string' && !more['header'].endsWith('signature')) {
      const fix = 'write its prefix and "signature", e.g. "x-acme-signature"';
      report({ path: `${path}.header`, given: show(more['header']), allowed: 'a name that ends in signature', fix });
    }
  };

/** Of an endpoint; `prefix`: of our own headers. */
export const endpointFields = (prefix: string): Readonly<Record<string, Check>> => ({
  url: text(/^.{1,2048}$/s, 'a URL', 'e.g. "https://hooks.customer.com/in"'),
  description: text(/^[^\p{Cc}]{0,500}$/u, 'text of up to 500 characters', 'shorten it'),
  types: listUpTo(100, pattern),
  channels: listUpTo(10, channel),
  mode: oneOf('live', 'test'),
  api_version: orNull(apiVersion),
  filter: orNull(filter),
  headers: headersCheck(prefix),
  signature: oneOf(...SIGNATURE_PROFILES),
  compatibility: orNull(compatibilityCheck(prefix)),
  schedule: orNull(schedule),
  rate: orNull(
    object({ per_second: number(0.01, 1_000, 'requests', 'any'), burst: number(1, 10_000, 'requests') }, [
      'per_second',
      'burst',
    ]),
  ),
  max_concurrency: number(1, 100, 'requests'),
  timeout_seconds: number(1, 30, 'seconds'),
  ordered: boolean,
  head_of_line_hours: orNull(number(1, 720, 'hours')),
  batch: orNull(
    object({ max_events: number(2, 100, 'messages'), max_bytes: number(1_024, 262_144, 'bytes') }, [
      'max_events',
      'max_bytes',
    ]),
  ),
  payload: oneOf('full', 'thin'),
  auto_disable_days: orNull((value, path, report) => {
    if (value !== false) number(1, 30, 'days')(value, path, report);
  }),
  metadata,
});
