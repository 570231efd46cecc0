/** What the fields of requests may hold: one table of checks, given the names that the API writes. */
import { isSchedule, SCHEDULES, type ScheduleName } from '#core/outbound/drain/schedule.ts';
import { FILTER_OPS, MAX_CLAUSES, MAX_DEPTH } from '#core/outbound/fan-out/content-filter.ts';
import {
  type AppLimits,
  FORMATS,
  KEY_ID_PLACES,
  SIGNATURE_PROFILES,
  SIGNED_LIKE,
} from '#core/outbound/protocol/items.ts';
import { MAX_BODY_BYTES } from '#core/outbound/publish/message-body.ts';
import {
  allowing,
  boolean,
  type Check,
  type ConfigProblem,
  type JsonSchema,
  listOf,
  number,
  object,
  oneOf,
  show,
  text,
} from '#core/problem.ts';
import { ISO_8601, parseIso } from '#core/time.ts';

/** A check of what the given ones allow, with a largest length. */
export const listUpTo = /* @__NO_SIDE_EFFECTS__ */ <T>(most: number, check: Check<T>): Check<readonly T[]> =>
  allowing({ ...listOf(check).schema, maxItems: most }, (value, path, report) => {
    if (Array.isArray(value) && value.length > most)
      return report({ path, given: `${value.length} of them`, allowed: `at most ${most}`, fix: 'give fewer' });
    listOf(check)(value, path, report);
  });
/** Also null, which takes the value away. */
export const orNull = /* @__NO_SIDE_EFFECTS__ */ <T>(check: Check<T>): Check<T | null> =>
  allowing(nullable(check.schema ?? {}), (value, path, report) => {
    if (value !== null) check(value, path, report);
  });
const nullable = (schema: JsonSchema): JsonSchema =>
  typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };

/** Any JSON. */
export const anything: Check = () => undefined;
/** Levels of a field's JSON: DynamoDB has 32, of which a list of versions takes two. */
const STORED_LEVELS = 28;
/** A check of JSON that is stored as it is, where the table keeps it so: what it refuses, it refuses each time. */
export const storable = /* @__NO_SIDE_EFFECTS__ */ <T>(check: Check<T>): Check<T> => {
  const checked: Check = (value, path, report) => {
    const unkept = unstorable(value);
    if (unkept) report({ path, ...unkept });
    else check(value, path, report);
  };
  return check.schema ? allowing(check.schema, checked) : (checked as Check<T>);
};
const isStorable = (value: number): boolean =>
  Math.abs(value) <= Number.MAX_SAFE_INTEGER && (value === 0 || Math.abs(value) >= 1e-130);
function unstorable(value: unknown): Omit<ConfigProblem, 'path'> | undefined {
  let layer: readonly unknown[] = [value];
  for (let depth = 0; layer.length > 0; depth++) {
    if (depth > STORED_LEVELS)
      return { given: 'deeper', allowed: `at most ${STORED_LEVELS} levels of JSON`, fix: 'make it flatter' };
    const number = layer.find(each => typeof each === 'number' && !isStorable(each));
    if (number !== undefined)
      return { given: String(number), allowed: 'numbers up to 2^53, or from 1e-130 on', fix: 'write it as text' };
    const objects = layer.filter(each => typeof each === 'object' && each !== null);
    if (objects.some(each => Object.hasOwn(each as object, '')))
      return { given: 'an empty name', allowed: 'names of at least one character', fix: 'rename it' };
    layer = objects.flatMap(each => Object.values(each as object));
  }
  return undefined;
}
export const uid = text(/^[A-Za-z0-9_.-]{1,100}$/, '1 to 100 letters, digits, _ . and -', 'choose another uid');
/** Of whoever asks: the same one does it once. */
export const requestId = text(/^[\w-]{1,64}$/, '1 to 64 letters, digits, - and _', 'e.g. a uuid');
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
export const time: Check<string> = allowing(
  { type: 'string', format: 'date-time', pattern: ISO_8601.source },
  (value, path, report) => {
    if (typeof value === 'string' && parseIso(value) !== undefined) return;
    report({ path, given: show(value), allowed: 'an ISO 8601 time', fix: 'e.g. "2026-11-22T08:00:00Z"' });
  },
);
const smallObject: Check<Readonly<Record<string, unknown>>> = allowing({ type: 'object' }, (value, path, report) => {
  const fits = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (fits && JSON.stringify(value).length <= 2_048) return;
  report({ path, given: show(value), allowed: 'an object of at most 2 KB', fix: 'shorten it' });
});
export const metadata = /* @__PURE__ */ storable(smallObject);
function scheduleCheck(): Check<ScheduleName | readonly number[]> {
  const waits = { type: 'array', minItems: 1, maxItems: 20, items: number(1, 86_400, 'seconds').schema };
  return allowing({ anyOf: [{ enum: Object.keys(SCHEDULES) }, waits] }, (value, path, report) => {
    if (typeof value === 'string' && Object.hasOwn(SCHEDULES, value)) return;
    if (Array.isArray(value) && value.every(Number.isInteger) && isSchedule(value as number[])) return;
    const names = Object.keys(SCHEDULES).join(', ');
    report({ path, given: show(value), allowed: `1 to 20 waits of 1 to 86400 s, or ${names}`, fix: 'leave it out' });
  });
}
export const schedule = /* @__PURE__ */ scheduleCheck();

/** Limits of an application, and what the API calls them. */
export const LIMITS = {
  endpoints: 'endpoints',
  publishPerSecond: 'publish_per_second',
  payloadBytes: 'payload_bytes',
  retentionDays: 'retention_days',
} as const satisfies Readonly<Record<keyof AppLimits, string>>;
export type LimitsBody = { readonly [Name in keyof AppLimits as (typeof LIMITS)[Name & keyof typeof LIMITS]]?: number };
/** Of an application. `retentionDays`: the environment's, which no limit exceeds. */
export const applicationFields = (retentionDays: number, prefix: string) => ({
  name: text(/^[^\p{Cc}]{1,200}$/u, 'text of 1 to 200 characters', 'name it'),
  metadata,
  limits: object<LimitsBody>({
    endpoints: number(1, 10_000, 'endpoints'),
    publish_per_second: number(1, 1_000, 'messages a second'),
    payload_bytes: number(1_024, MAX_BODY_BYTES, 'bytes'),
    retention_days: number(1, retentionDays, 'days (no longer than the environment)'),
  }),
  format: oneOf(...FORMATS),
  schedule: orNull(schedule),
  default_api_version: orNull(apiVersion),
  signature: orNull(oneOf(...SIGNATURE_PROFILES)),
  signature_header: orNull(signatureHeader(prefix)),
  key_id_in: orNull(oneOf(...KEY_ID_PLACES)),
});

function clauseCheck(): Check {
  const shape = object(
    {
      path: text(/^[^\p{Cc}]{1,200}$/u, 'a path by dots', 'e.g. "data.amount"'),
      op: oneOf(...FILTER_OPS),
      value: () => undefined,
    },
    ['path', 'op'],
  );
  return allowing(shape.schema ?? {}, (value, path, report) => {
    shape(value, path, report);
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
  });
}
function filterCheck(): Check {
  const clauses = listUpTo(MAX_CLAUSES, clauseCheck());
  const shape = object({ all: clauses, any: clauses });
  return allowing({ ...shape.schema, minProperties: 1, maxProperties: 1 }, (value, path, report) => {
    shape(value, path, report);
    if (typeof value === 'object' && value !== null && 'all' in value === 'any' in value)
      report({ path, given: show(value), allowed: 'either all or any', fix: 'write {"all":[…]}' });
  });
}
export const filter = /* @__PURE__ */ storable(filterCheck());

/** Names that no endpoint sets: they are the protocol's, ours, or a proxy's. */
const DENIED =
  /^(?:host|content-.*|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*|user-agent|accept-encoding|webhook-.*|x-amz.*|x-forwarded-.*|forwarded|traceparent|cookie|x-idempotency-key)$/;
const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const HEADER = /^[ -~]{0,2048}$/;
const MAX_HEADERS = 20;
/** Headers of an endpoint; `prefix` is that of our own. */
export const headersCheck = (prefix: string): Check =>
  allowing(
    { type: 'object', maxProperties: MAX_HEADERS, additionalProperties: { type: 'string', pattern: HEADER.source } },
    (value, path, report) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return report({ path, given: show(value), allowed: 'an object', fix: 'write {"name":"value"}' });
      const entries = Object.entries(value);
      if (entries.length > MAX_HEADERS)
        return report({
          path,
          given: `${entries.length} headers`,
          allowed: `at most ${MAX_HEADERS}`,
          fix: 'give fewer',
        });
      const names = new Set<string>();
      for (const [name, text] of entries) {
        const lower = name.toLowerCase();
        const at = `${path}.${name.slice(0, 60)}`;
        // Headers have no case: one of the two would silently be sent for both.
        if (names.has(lower))
          report({
            path: at,
            given: 'a name a second time',
            allowed: 'each name once, in any case',
            fix: 'leave it out',
          });
        names.add(lower);
        if (!NAME.test(lower) || DENIED.test(lower) || lower.startsWith(prefix))
          report({ path: at, given: 'this name', allowed: 'a header of your own', fix: 'choose another name' });
        if (typeof text !== 'string' || !HEADER.test(text))
          report({
            path: at,
            given: 'its value',
            allowed: 'up to 2,048 printable ASCII characters',
            fix: 'correct it',
          });
      }
    },
  );

/** What `signature` puts into a request under these names is ours. */
const OUR_OWN = ['event', 'attempt', 'version', 'sequence', 'key-id', 'test'];
/** The header of a signature, in any case. */
export const signatureHeader = (prefix: string): Check<string> =>
  allowing({ type: 'string', pattern: NAME.source.replace('a-z', 'A-Za-z') }, (value, path, report) => {
    const lower = typeof value === 'string' ? value.toLowerCase() : '';
    const isOurs = DENIED.test(lower) || OUR_OWN.some(name => lower === prefix + name) || lower === 'x-webhook-id';
    if (NAME.test(lower) && !isOurs) return;
    const allowed = 'the name of a header that is not set already';
    report({ path, given: show(value), allowed, fix: 'e.g. "X-Acme-Signature"' });
  });
export const compatibilityCheck = (prefix: string): Check => {
  const ours = OUR_OWN.map(name => prefix + name);
  const header: Check = allowing({ type: 'string', pattern: NAME.source }, (given, at, tell) => {
    const fits = typeof given === 'string' && NAME.test(given) && !DENIED.test(given) && !ours.includes(given);
    if (fits) return;
    const told = { path: at, given: show(given), allowed: 'the name of a header in lower case' };
    tell({ ...told, fix: 'e.g. "x-convoy-signature"' });
  });
  const shape = object(
    {
      like: oneOf(...SIGNED_LIKE),
      header,
      hash: oneOf('sha256', 'sha512'),
      encoding: oneOf('hex', 'base64'),
      timed: boolean,
    },
    ['like'],
  );
  return allowing(shape.schema ?? {}, (value, path, report) => {
    shape(value, path, report);
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
  });
};

/** Of a mail: the address alone, in a form that no header is made of. */
export const mailAddress = text(
  /^(?=.{6,254}$)[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$/,
  'one mail address, without a name',
  'e.g. "ops@customer.com"',
);
export const url = text(/^[\s\S]{1,2048}$/, 'a URL of up to 2,048 characters', 'e.g. "https://hooks.customer.com/in"');
export const typePatterns = listUpTo(100, pattern);
export const channels = listUpTo(10, channel);
function autoDisableCheck(): Check {
  const days = number(1, 30, 'days');
  return allowing({ anyOf: [days.schema, { const: false }] }, (value, path, report) => {
    if (value !== false) days(value, path, report);
  });
}
export const autoDisableDays = /* @__PURE__ */ autoDisableCheck();
