/** Schemas of docs/api/delivery-openapi.json: what the producer's API takes and answers. */

import { given } from '#core/given.ts';
import { PAGE_QUERY as PAGE } from '#core/outbound/api/api-call.ts';
import { CONTACT_FIELDS } from '#core/outbound/api/contacts-api.ts';
import {
  DELIVERY_QUERY as DELIVERIES,
  APPLICATION_QUERY as OF_APPLICATION,
  OF_MESSAGE_QUERY as OF_MESSAGE,
} from '#core/outbound/api/deliveries/deliveries-api.ts';
import { FEED_QUERY as FEED } from '#core/outbound/api/deliveries/feed-api.ts';
import { MATCH_FIELDS, MESSAGE_QUERY as MESSAGES } from '#core/outbound/api/deliveries/messages-api.ts';
import { ACK_FIELDS, PULL_QUERY as PULL } from '#core/outbound/api/deliveries/pull-api.ts';
import { JOB_FIELDS, REPLAY_FIELDS } from '#core/outbound/api/deliveries/replay-api.ts';
import { endpointFields } from '#core/outbound/api/endpoint-body.ts';
import { ROTATE_FIELDS, SECRET_FIELDS } from '#core/outbound/api/endpoint-secret.ts';
import {
  STATE_QUERY as STATE_CHECKS,
  VERIFY_QUERY as VERIFY,
  VERSION_FIELDS,
} from '#core/outbound/api/endpoints-api.ts';
import { ERASURE_QUERY as CHECKED_ERASURE, ERASE_QUERY as ERASE } from '#core/outbound/api/erasure-api.ts';
import { applicationFields, uid } from '#core/outbound/api/fields.ts';
import { ENABLE_FIELDS, GATE_FIELDS } from '#core/outbound/api/gate-api.ts';
import { STATS_QUERY as STATS } from '#core/outbound/api/health-api.ts';
import { CAPABILITIES } from '#core/outbound/api/portal-token.ts';
import { TOKEN_FIELDS } from '#core/outbound/api/portal-tokens-api.ts';
import { MESSAGE_FIELDS } from '#core/outbound/api/publish-message.ts';
import { TEST_FIELDS } from '#core/outbound/api/test-delivery.ts';
import { TYPE_FIELDS } from '#core/outbound/api/type-check.ts';
import { SCHEDULES } from '#core/outbound/drain/schedule.ts';
import { ERASED_KINDS } from '#core/outbound/erase/erasure.ts';
import { ANSWER_CLASSES, FAULTS } from '#core/outbound/ports.ts';
import { STATES } from '#core/outbound/protocol/endpoint-state.ts';
import {
  FINAL_STATUSES,
  FORMATS,
  KEY_ID_PLACES,
  OPEN_STATUSES,
  SIGNATURE_PROFILES,
} from '#core/outbound/protocol/items.ts';
import type { Check } from '#core/problem.ts';

type Schema = Readonly<Record<string, unknown>>;
/** What the checks of these fields allow, with words for whom the check alone does not tell. */
function described<Name extends string>(
  fields: Readonly<Record<Name, Check>>,
  words: Readonly<Partial<Record<Name, string>>>,
): Readonly<Record<Name, Schema>> {
  const each = Object.entries<Check>(fields).map(([name, { schema = {} }]) => {
    const description = words[name as Name];
    return [name, description === undefined ? schema : { ...schema, description }];
  });
  return Object.fromEntries(each) as Record<Name, Schema>;
}

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
export const text = (description?: string): Schema => ({ type: 'string', ...given({ description }) });
const oneOf = (values: readonly string[], description?: string): Schema => ({
  ...text(description),
  enum: [...values],
});
const whole = (description?: string): Schema => ({ type: 'integer', ...given({ description }) });
const number = (description?: string): Schema => ({ type: 'number', ...given({ description }) });
const truth = (description?: string): Schema => ({ type: 'boolean', ...given({ description }) });
const time = (description?: string): Schema => ({ ...text(description), format: 'date-time' });
const listOf = (items: Schema, description?: string): Schema => ({ type: 'array', items, ...given({ description }) });
const orNull = (schema: Schema): Schema =>
  typeof schema['type'] === 'string' && schema['enum'] === undefined
    ? { ...schema, type: [schema['type'], 'null'] }
    : { oneOf: [schema, { type: 'null' }] };
const anyObject = (description: string): Schema => ({ type: 'object', description, additionalProperties: true });
const texts = (description: string): Schema => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string' },
});
/** `required` is all of them, but for those named in `optional`. */
export const object = (properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema => ({
  type: 'object',
  required: Object.keys(properties).filter(name => !optional.includes(name)),
  properties,
});
/** A body: nothing is required but what is named. */
export const body = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required: [...required] } : {}),
  additionalProperties: false,
});
export const pageOf = (name: string): Schema =>
  object({
    data: listOf(ref(name)),
    cursor: orNull(text('For the next page; good for a day and for this list only. Null on the last one.')),
  });

const id = (kind: string): Schema => text(`The id of ${kind}.`);
const WAITS = orNull(
  listOf(whole(), 'Waits after failed attempts, in seconds; null: those of the application or the environment.'),
);
const METADATA = anyObject('Yours; at most 2 KB.');
const WHY_WORDS = 'Kept with what was done.';

/** `retention_days`: no environment keeps longer than a year. */
const APPLICATION = applicationFields(365, 'x-webhook-');
export const APPLICATION_BODY = described(APPLICATION, {
  metadata: 'Yours; at most 2 KB.',
  limits:
    'endpoints: 50 by default. publish_per_second: no limit by default; above it publish answers 429. payload_bytes: a longer body, as it would be sent, is refused with 413. retention_days: at most and by default those of the environment.',
  format: 'How bodies are built; raw: the data alone.',
  schedule: `Waits after failed attempts in seconds, or a name (${Object.keys(SCHEDULES).join(', ')}).`,
  default_api_version: 'What a new endpoint is pinned to.',
  signature: 'Of endpoints that are made from now on and name none; null: that of the environment.',
  signature_header: 'The same, for the header of the signature.',
  key_id_in: 'The same, for where a request says which secret signed it.',
});
export const ERASURE_QUERY = described(CHECKED_ERASURE, { dry_run: 'true: counts only, and changes nothing.' });
export const ERASE_QUERY = { ...described(ERASE, {}), ...ERASURE_QUERY };
export const UID_BODY = described({ uid }, { uid: 'A name of your own.' });
/** The prefix is that of our own headers, which bounds no schema. */
export const ENDPOINT_BODY: Readonly<Record<string, Schema>> = described(endpointFields('x-webhook-'), {
  kind: 'pull: nothing is sent, its owner reads (GET …/messages). It never changes. Default push.',
  url: 'https, a public name, one of the allowed ports. Required, but for kind pull.',
  types: 'Types or beginnings with *; empty: all.',
  channels: 'Empty: all.',
  filter: 'Either all or any of up to ten clauses on `data`.',
  headers: 'Headers of its own.',
  signature:
    'The form of the signature (docs/send/signatures.md): by default that of the application or the environment, when the endpoint is made.',
  signature_header:
    'With timestamp-sha256, body-sha256 and t-v1: the header that carries the signature. null: that of the form.',
  key_id_in:
    'Where a request says which secret signed it. signature: with timestamp-sha256 only, and the header, too. null: wherever the form has room.',
  compatibility:
    "Headers of the system that sent before, beside those of `signature`: docs/send/moving.md. header: in lower case, by default that system's. timed: the time is signed and in the header: what Convoy calls advanced, and the older form of Outpost.",
  schedule: `Waits after failed attempts in seconds, or a name (${Object.keys(SCHEDULES).join(', ')}).`,
  connect_timeout_seconds: 'For the connection, behind the name lookup and within timeout_seconds; null: 5.',
  ordered: 'A message begins only when the one before it is over.',
  head_of_line_hours: 'Of an ordered endpoint: after this its first message is given up.',
  payload: 'thin: without data.',
  metadata: 'Yours; at most 2 KB.',
});
export const SECRET_BODY = described(SECRET_FIELDS, {
  secret:
    'whsec_… or whsk_…; with timestamp-sha256, body-sha256 and t-v1 also any 16 to 128 printable ASCII characters. One is made where it is left out.',
});
export const ROTATE_BODY = {
  ...described(ROTATE_FIELDS, {
    grace_seconds: 'How long the old one goes on signing, by default a day.',
    request_id: 'The same one rotates once.',
  }),
  ...SECRET_BODY,
};
export const GATE_BODY = described(GATE_FIELDS, { why: WHY_WORDS });
export const ENABLE_BODY = described(ENABLE_FIELDS, {
  why: WHY_WORDS,
  since: 'With `since`: older messages are dropped.',
});
export const TEST_BODY = described(TEST_FIELDS, {});
export const MATCH_BODY = described(MATCH_FIELDS, {});
export const IF_VERSION = described(VERSION_FIELDS, { if_version: 'Refused if the endpoint has another one.' });
export const MESSAGE_BODY = described(MESSAGE_FIELDS, {
  key: 'Of what happened: the same key is the same message.',
  data: 'Any JSON: its bytes go out as they are given. Either this or raw.',
  raw: 'base64 of the whole body.',
  content_type: 'Of raw.',
  api_version: "By default the body names the application's.",
  request_id: 'Of your own request: request.id in the format object. Another one does not make another message.',
});
export const REPLAY_BODY = described(REPLAY_FIELDS, {
  request_id: 'The same one replays once.',
  now: 'Also one that waits for its retry.',
  as_new: 'As a copy under a new webhook-id.',
  why: WHY_WORDS,
});
const STATUSES = [...OPEN_STATUSES, ...FINAL_STATUSES];
export const JOB_BODY: Readonly<Record<string, Schema>> = described(JOB_FIELDS, {
  app: 'An id, or uid:<uid>.',
  status: 'Default dead.',
  as_of: 'What was replayed since then, by anybody, is left alone.',
  dry_run: 'Counts, and replays nothing.',
  why: WHY_WORDS,
});
export const TYPE_BODY = described(TYPE_FIELDS, {
  version: 'What messages name as api_version.',
  schema: 'A JSON Schema of draft 2020-12, at most 32 KB, that refers to nothing outside itself.',
  example: 'Data that fits the schema.',
  ends_at: 'When a deprecated type ends, for readers.',
  replacement: 'The type to move to, of a deprecated one.',
  validate: 'Data that breaks the schema is taken, taken and reported, or refused.',
  earlier: 'Versions before the newest, newest first.',
});
export const TOKEN_BODY = described(TOKEN_FIELDS, {
  capabilities: 'All of them by default; read is always among them.',
  read_only: 'Only read and read_bodies of them.',
  expires_in_seconds: '3,600 by default.',
  subject: 'Who, in your own words: in logs and jobs.',
});
export const CONTACT_BODY = described(CONTACT_FIELDS, {
  email: 'Where `outbound.email` is set.',
  url: 'Instead of email; https.',
});
const PAGE_WORDS = { limit: '50 by default. Of attempts and tests a page has no more.', cursor: 'Of the page before.' };
export const PAGE_QUERY = described(PAGE, PAGE_WORDS);
export const DELIVERY_QUERY = described(DELIVERIES, PAGE_WORDS);
const ONLY_OF = { ...PAGE_WORDS, endpoint: 'Only of this one: its id, or uid:<uid>.' };
export const APPLICATION_QUERY = described(OF_APPLICATION, ONLY_OF);
export const OF_MESSAGE_QUERY = described(OF_MESSAGE, ONLY_OF);
export const ACK_BODY = described(ACK_FIELDS, { cursor: 'Of the answer that is acknowledged.' });
export const PULL_QUERY = described(PULL, { limit: PAGE_WORDS.limit });
export const FEED_QUERY = described(FEED, {
  limit: PAGE_WORDS.limit,
  after: 'Of the answer before; without it, from the oldest message.',
});
export const STATE_QUERY = described(STATE_CHECKS, {
  ...PAGE_WORDS,
  state: 'Those that are so now. A page may be short before the last one.',
});
export const VERIFY_QUERY = described(VERIFY, { verify: 'true: only if it answers a ping with 2xx.' });
export const MESSAGE_QUERY = described(MESSAGES, PAGE_WORDS);
export const STATS_QUERY = described(STATS, { app: 'Required: an id, or uid:<uid>.' });

const STATE = {
  closed_by: orNull(
    oneOf(['operator', 'customer', 'system'], 'Who paused, disabled or deleted it; null while it is open.'),
  ),
  closed_at: orNull(time('When; null while it is open, or where it was closed before an import.')),
  gate: oneOf(['open', 'paused', 'disabled', 'deleted']),
  state: oneOf(
    STATES,
    'untried: nothing was sent to it yet. failing: its last answers were failures. pulled: it waits for its reader.',
  ),
  why: orNull(text('Why it is held (`breaker`, `throttled`, `rate`, `crash`) or closed.')),
  failing_since: orNull(time()),
  failed_in_a_row: whole('Failures since the last success; at most 20 are counted.'),
  next_trial_at: orNull(time('When it is tried again: of one that is on hold, or fails and has something to retry.')),
  last_success_at: orNull(time()),
  last_failure: {
    oneOf: [object({ at: orNull(time()), class: orNull(text()), code: orNull(whole()) }), { type: 'null' }],
  },
  success_rate_1h: orNull(number()),
  success_rate_24h: orNull(number()),
};
const SECRET_ALGS = {
  secret_algs: listOf(
    oneOf(['sha256', 'ed25519']),
    'Of one that is asked for by itself: kinds of its valid secrets. With standard, ed25519 signs v1a.',
  ),
};
const KEY = {
  key_id: text(),
  alg: oneOf(['sha256', 'ed25519']),
  secret: text('What signs.'),
  verify_with: text('What the receiver verifies with.'),
};
const CONTACT = {
  id: id('the contact'),
  email: orNull(text()),
  url: orNull(text()),
  state: oneOf(['unconfirmed', 'confirmed'], 'Only one that confirmed is told anything.'),
  created_at: time(),
  confirmed_at: orNull(time()),
};
const ENDPOINT = {
  id: id('the endpoint'),
  uid: orNull(text()),
  application: text(),
  ...ENDPOINT_BODY,
  url: orNull(text('Null where the kind is pull.')),
  headers: texts('Their names; values are shown to nobody.'),
  schedule: WAITS,
  version: whole('Grows with each change.'),
  created_at: time(),
  updated_at: time('Of the last change of its configuration.'),
};
const TIMINGS = { type: 'object', description: 'Milliseconds by phase.', additionalProperties: { type: 'number' } };

const VERSION = {
  version: orNull(text()),
  schema: { description: 'A JSON Schema, or null.' },
  example: { description: 'Any JSON, or null.' },
  deprecated: truth(),
};

const RESPONSE: Schema = {
  oneOf: [
    object({ headers: texts('At most 2 KB.'), body: text('At most 10 KB.'), truncated: truth() }),
    { type: 'null' },
  ],
};
const MESSAGE = {
  id: id('the message'),
  application: text(),
  type: text(),
  channels: listOf(text()),
  mode: oneOf(['live', 'test']),
  api_version: orNull(text()),
  schema_version: orNull(text('Version of the type whose schema judged the data.')),
  sequence: orNull(text()),
  size: whole('Bytes of its body.'),
  content_type: text(),
  created_at: time(),
  body_erased_at: orNull(time()),
};

const BODIED = {
  id: id('the message'),
  type: text(),
  created_at: time(),
  content_type: text(),
  base64: orNull(text('The body as endpoints get it; null: it was erased, or could not be read for a day.')),
};
const POLL = whole('How long to wait until then: 1 while messages come, up to 30.');

export const SCHEMAS: Readonly<Record<string, Schema>> = {
  Application: object({
    id: id('the application'),
    uid: orNull(text()),
    name: text(),
    format: oneOf(FORMATS),
    limits: APPLICATION_BODY.limits,
    metadata: METADATA,
    endpoints: whole('How many it has.'),
    state: oneOf(['active', 'erasing']),
    schedule: WAITS,
    default_api_version: orNull(text()),
    signature: orNull(oneOf([...SIGNATURE_PROFILES])),
    signature_header: orNull(text()),
    key_id_in: orNull(oneOf([...KEY_ID_PLACES])),
    created_at: time(),
  }),
  Erasure: object({
    application: id('the application'),
    dry_run: truth(),
    state: oneOf(['erasing', 'erased', 'counting', 'counted']),
    phase: text('How far it is.'),
    by: text('Who asked.'),
    started_at: time(),
    finished_at: orNull(time()),
    counts: {
      ...object(Object.fromEntries(ERASED_KINDS.map(kind => [kind, whole()]))),
      description: 'What was removed, or what a dry run found. bodies: of the messages, those in the bucket.',
    },
    stays: listOf(
      object({ what: text(), until: orNull(time('Null: not by a time of its own.')) }),
      'Of an erasure that is done: what it does not reach.',
    ),
  }),
  Resealed: object({
    key: text('Names the master secret that is current for the function that answers.'),
    endpoints: whole('Of this page.'),
    resealed: whole('Of them, those whose secrets were under another one.'),
    lost: listOf(id('an endpoint'), 'Neither the current nor the previous master secret opens its secrets.'),
    cursor: orNull(text('Null: that was the last page.')),
  }),
  Endpoint: object(ENDPOINT),
  EndpointWithState: object({ ...ENDPOINT, ...STATE, ...SECRET_ALGS }, Object.keys(SECRET_ALGS)),
  EndpointWithSecret: {
    ...object({ ...ENDPOINT, ...KEY }, Object.keys(KEY)),
    description: 'The secret, but for kind pull, where nothing is signed.',
  },
  Key: object({ ...KEY, created_at: time(), active_from: orNull(time()), not_after: orNull(time()) }),
  Keys: object({ data: listOf(ref('Key'), 'Newest first.') }),
  ActiveKey: object({ key_id: orNull(text()) }),
  Contact: object(CONTACT),
  ContactWithSecret: object({ ...CONTACT, ...KEY }, Object.keys(KEY)),
  PortalToken: object({
    id: text('tok_…: revokes this token alone.'),
    token: text('hfp_…; it is not stored.'),
    url: text('Opens the portal with it.'),
    application: id('the application'),
    capabilities: listOf(oneOf(CAPABILITIES)),
    expires_at: time(),
  }),
  Gate: object({ id: id('the endpoint'), ...STATE }),
  TestResult: object({
    success: truth(),
    status_code: orNull(whole()),
    class: oneOf(ANSWER_CLASSES),
    detail: orNull(text()),
    response_body: text('At most 2 KB of it.'),
    duration_ms: whole(),
    request: object({ url: text(), headers: texts('As they were sent.'), body: text() }),
  }),
  Health: object({
    ...STATE,
    breaker: oneOf(['closed', 'open', 'half_open']),
    opened_times: whole('In a row.'),
    last_attempt_at: orNull(time()),
    egress_suspected: truth('Most likely our own way out fails: a failure without an answer does not count.'),
    waiting: object({
      count: whole('At most 500.'),
      retrying: whole('Of these, those that wait for another try; of an ordered endpoint none.'),
      more: truth(),
      about: orNull(whole('First attempts, as the last endpoint check found them; only from 10,000 on.')),
      oldest_at: orNull(time()),
    }),
    dead: whole('Those that are dead now; at most 500.'),
    dead_more: truth('More are dead than `dead` says.'),
    died: whole('Ever, those among them that were sent again.'),
    response_ms: orNull(whole()),
    last_day: object({
      successes: listOf(whole(), 'By hour, the running one first.'),
      failures: listOf(whole(), 'Of the same hours.'),
    }),
  }),
  Delivery: object({
    message: text(),
    endpoint: text(),
    type: orNull(text()),
    status: oneOf(STATUSES),
    held: truth('It waits, and its endpoint is closed or on hold.'),
    held_until: orNull(time('The end of the hold; nobody knows when a closed endpoint is opened.')),
    held_why: orNull(oneOf(['paused', 'disabled', 'deleted', 'pulled', 'breaker', 'throttled', 'rate', 'crash'])),
    generation: whole('One more with each replay.'),
    attempt_count: whole('Charged attempts, and the success.'),
    created_at: time(),
    first_attempt_at: orNull(time()),
    next_retry_at: orNull(
      time('Never in the past: the later of its schedule and the hold. Null while the endpoint is closed.'),
    ),
    delivered_at: orNull(time()),
    ended_at: orNull(time()),
    last_attempt: {
      oneOf: [
        object({
          attempted_at: time(),
          status: orNull(whole()),
          class: oneOf(ANSWER_CLASSES),
          response_time_ms: whole(),
          snippet: orNull(text('At most 256 bytes.')),
        }),
        { type: 'null' },
      ],
    },
    replayed_from: orNull(whole()),
    replayable: truth(),
  }),
  Attempt: object({
    kind: oneOf(['delivery', 'trial', 'throttled', 'test']),
    generation: whole(),
    attempt: whole(),
    at: time(),
    class: oneOf(ANSWER_CLASSES),
    code: orNull(whole()),
    fault: orNull(oneOf(FAULTS)),
    spared: orNull(oneOf(['egress'])),
    in_words: orNull(text('Whose fault it was, for people.')),
    further: orNull(whole('Of a throttled one: how many requests were throttled after it.')),
    detail: orNull(text()),
    timings_ms: TIMINGS,
    request: {
      oneOf: [object({ url: text(), headers: texts('Values of the endpoint’s own are masked.') }), { type: 'null' }],
    },
    response: RESPONSE,
  }),
  Test: object({
    id: text('webhook-id of the request.'),
    type: text(),
    at: time(),
    class: oneOf(ANSWER_CLASSES),
    code: orNull(whole()),
    detail: orNull(text()),
    timings_ms: TIMINGS,
    request: object({
      url: text(),
      headers: texts('Values of the endpoint’s own are masked.'),
      body: orNull(text('Null above 10 KB.')),
    }),
    response: RESPONSE,
  }),
  Replayed: object({ endpoint: text(), message: text(), generation: whole() }),
  Match: object({
    matches: whole(),
    endpoints: listOf(object({ endpoint: text(), matches: truth(), why_not: orNull(text()) })),
  }),
  Published: object(
    {
      id: id('the message: its webhook-id'),
      created_at: time(),
      duplicate: truth('The key was known.'),
      reported: ref('Reported'),
    },
    ['reported'],
  ),
  Reported: {
    ...object(
      {
        error: oneOf(['unknown_type', 'unknown_version', 'schema_mismatch', 'not_judged']),
        detail: text('For people.'),
        path: text('Of schema_mismatch: the first broken place, a JSON Pointer into data.'),
        rule: text('Of schema_mismatch: the keyword it breaks.'),
      },
      ['path', 'rule'],
    ),
    description: 'The message was taken, and the catalogue has something to say of it.',
  },
  Message: object(MESSAGE),
  Feed: object({
    data: listOf(object(BODIED)),
    after: text('For the next call; it never expires.'),
    next_poll_seconds: POLL,
  }),
  Pulled: object({
    data: listOf(object(BODIED)),
    cursor: orNull(text('What acknowledges these, and no others. Null where nothing waits.')),
    next_poll_seconds: POLL,
  }),
  Acknowledged: object({ acknowledged: whole('Deliveries that ended by this call.') }),
  ErasedMessage: object({ ...MESSAGE, copies_erased: whole('Copies of it (`as_new`), whose bodies are erased, too.') }),
  Summary: object({
    as_of: orNull(time()),
    endpoints: whole(),
    on_hold: whole('Nothing is sent to them for a while.'),
    failing: orNull(whole('Open, and not well. Null where a check of an older version counted.')),
    paused: whole(),
    disabled: whole(),
    dead: whole('Deliveries that are dead now; of each endpoint at most 1,000 are counted.'),
    died: whole('Deliveries that died, ever.'),
    waiting: whole(
      'First attempts at endpoints that are open and not on hold, where the oldest has waited for five minutes or more.',
    ),
    oldest_waiting_at: orNull(time()),
    egress_guard: {
      oneOf: [
        object({
          silent: whole('Endpoints that stopped answering within five minutes.'),
          counted: whole('Of these, at most three of each application.'),
          seen_at: time(),
        }),
        { type: 'null' },
      ],
    },
  }),
  MessageBody: object({ content_type: text(), base64: text('The bytes that are sent.') }),
  ReplayJob: object({
    id: id('the job'),
    application: text(),
    endpoint: orNull(text()),
    message: orNull(text()),
    state: oneOf(['running', 'paused', 'canceled', 'done']),
    status: oneOf(STATUSES),
    types: listOf(text()),
    since: orNull(time()),
    until: orNull(time()),
    as_of: orNull(time()),
    dry_run: truth(),
    rate_per_second: whole(),
    counts: object({ seen: whole(), replayed: whole(), skipped: whole() }),
    why: orNull(text()),
    by: text('Who asked for it.'),
    created_at: time(),
    updated_at: time(),
  }),
  EventType: object({
    name: text(),
    description: text(),
    group: orNull(text()),
    validate: oneOf(['off', 'warn', 'reject']),
    ...VERSION,
    ends_at: orNull(time('When a deprecated type ends.')),
    replacement: orNull(text('The type to move to.')),
    earlier: listOf(object(VERSION), 'Newest first.'),
  }),
  Stats: object({
    application: text(),
    endpoints: whole(),
    complete: truth('False: of the first 250 endpoints only.'),
    hours: listOf(
      object({ hour: time(), attempts: whole(), successes: whole(), failures: whole() }),
      'The last 24, newest first.',
    ),
    each: listOf(
      object({ endpoint: text(), successes: listOf(whole()), failures: listOf(whole()) }),
      'Of each endpoint the same hours, newest first.',
    ),
  }),
  Problem: object(
    {
      type: text('about:blank: the title says it.'),
      title: text(),
      status: whole(),
      error: text('For programs.'),
      detail: text('For people: what was given, what is allowed, what to do.'),
      details: listOf(
        object({ path: text(), given: text(), allowed: text(), fix: text() }),
        'Of invalid_request: each field that is wrong.',
      ),
      exchange: ref('TestResult'),
      path: text('Of schema_mismatch: the first broken place, a JSON Pointer into data.'),
      rule: text('Of schema_mismatch: the keyword it breaks.'),
      retry_after: whole('Of quota: seconds to wait.'),
    },
    ['details', 'exchange', 'path', 'rule', 'retry_after'],
  ),
};
