/**
 * What a customer sees of an answer: the fields that are named here, and no other, so that one which comes later is not
 * shown by accident. Not shown: other applications, names of your own, who of your people did what and why, how we send.
 */
import { type Customer, isByCustomer, MASKED } from '#core/outbound/api/customer.ts';
import { CUSTOMER_FIELDS } from '#core/outbound/api/endpoint-body.ts';
import type { PortalRoute, SESSION_ROUTE } from './portal-routes.ts';

type Json = Readonly<Record<string, unknown>>;
type Shape = readonly string[];

const STATE: Shape = [
  ...['gate', 'state', 'why', 'closed_by', 'closed_at', 'failing_since', 'failed_in_a_row', 'next_trial_at'],
  ...['last_success_at', 'last_failure', 'success_rate_1h', 'success_rate_24h'],
];
const ENDPOINT: Shape = ['id', ...CUSTOMER_FIELDS, 'version', 'created_at', 'updated_at', ...STATE];
const KEY: Shape = ['key_id', 'alg', 'secret', 'verify_with', 'created_at', 'active_from', 'not_after'];
const HEALTH: Shape = [
  ...STATE,
  ...['breaker', 'last_attempt_at', 'egress_suspected', 'waiting', 'dead', 'dead_more', 'died', 'response_ms'],
  'last_day',
];
const DELIVERY: Shape = [
  ...['message', 'endpoint', 'type', 'status', 'generation', 'attempt_count', 'created_at', 'ended_at'],
  ...['held', 'held_until', 'held_why'],
  ...['first_attempt_at', 'next_retry_at', 'delivered_at', 'last_attempt', 'replayed_from', 'replayable'],
];
const ATTEMPT: Shape = [
  ...[
    'kind',
    'generation',
    'attempt',
    'at',
    'class',
    'code',
    'fault',
    'spared',
    'in_words',
    'further',
    'detail',
    'timings_ms',
  ],
  ...['request', 'response'],
];
const TEST: Shape = ['success', 'status_code', 'class', 'detail', 'response_body', 'duration_ms', 'request'];
const MESSAGE: Shape = [
  'id',
  'type',
  'channels',
  'mode',
  'api_version',
  'schema_version',
  'sequence',
  'size',
  'content_type',
  'created_at',
];
const BODIED: Shape = ['id', 'type', 'created_at', 'content_type', 'base64'];
const JOB: Shape = [
  ...['id', 'endpoint', 'message', 'state', 'status', 'types', 'since', 'until', 'as_of', 'dry_run', 'counts', 'why'],
  ...['created_at', 'updated_at'],
];
const TYPE: Shape = [
  ...[
    'name',
    'description',
    'group',
    'deprecated',
    'ends_at',
    'replacement',
    'version',
    'schema',
    'example',
    'earlier',
  ],
];
const CONTACT: Shape = ['id', 'email', 'url', 'state', 'created_at', 'confirmed_at'];
const ROOT = '/v1/apps/{app}';
const E = '/v1/apps/{app}/endpoints/{ep}';

/** What is shown of each answer; a list has its items under `data`. */
export const SHAPES: Readonly<Record<Exclude<PortalRoute, typeof SESSION_ROUTE>, Shape>> = {
  [`GET ${ROOT}/endpoints`]: ENDPOINT,
  [`POST ${ROOT}/endpoints`]: [...ENDPOINT, ...KEY],
  [`GET ${E}`]: ENDPOINT,
  [`PATCH ${E}`]: ENDPOINT,
  [`DELETE ${E}`]: [],
  [`GET ${E}/secret`]: KEY,
  [`POST ${E}/secret/rotate`]: KEY,
  [`POST ${E}/secret/activate`]: KEY,
  [`POST ${E}/pause`]: ['id', ...STATE],
  [`POST ${E}/resume`]: ['id', ...STATE],
  [`POST ${E}/disable`]: ['id', ...STATE],
  [`POST ${E}/enable`]: ['id', ...STATE],
  [`POST ${E}/trial`]: ['id', ...STATE],
  [`POST ${E}/test`]: TEST,
  [`GET ${E}/tests`]: ['id', 'type', 'at', 'class', 'code', 'detail', 'timings_ms', 'request', 'response'],
  [`GET ${E}/health`]: HEALTH,
  [`GET ${E}/deliveries`]: DELIVERY,
  [`GET ${E}/deliveries/{msg}/attempts`]: ATTEMPT,
  [`POST ${E}/deliveries/{msg}/replay`]: ['endpoint', 'message', 'generation'],
  [`GET ${E}/messages`]: BODIED,
  [`POST ${E}/ack`]: ['acknowledged'],
  [`GET ${ROOT}/deliveries`]: DELIVERY,
  [`GET ${ROOT}/messages`]: MESSAGE,
  [`GET ${ROOT}/messages/{msg}`]: MESSAGE,
  [`GET ${ROOT}/messages/{msg}/body`]: ['content_type', 'base64'],
  [`GET ${ROOT}/messages/{msg}/deliveries`]: DELIVERY,
  [`GET ${ROOT}/feed`]: BODIED,
  'POST /v1/replay-jobs': JOB,
  'GET /v1/replay-jobs': JOB,
  'GET /v1/replay-jobs/{job}': JOB,
  'POST /v1/replay-jobs/{job}/pause': JOB,
  'POST /v1/replay-jobs/{job}/resume': JOB,
  'POST /v1/replay-jobs/{job}/cancel': JOB,
  'GET /v1/event-types': TYPE,
  'GET /v1/event-types/{name}': TYPE,
  [`GET ${ROOT}/contacts`]: CONTACT,
  [`POST ${ROOT}/contacts`]: [...CONTACT, ...KEY],
  [`DELETE ${ROOT}/contacts/{contact}`]: [],
  'GET /v1/stats': ['endpoints', 'complete', 'hours', 'each'],
};

/** A success as the customer sees it; refusals keep their form. */
export function customerView(
  route: Exclude<PortalRoute, typeof SESSION_ROUTE>,
  { capabilities }: Pick<Customer, 'capabilities'>,
  answer: unknown,
): unknown {
  const one = (value: unknown): Json => {
    const shown = picked(value as Json, SHAPES[route]);
    const hidden = { ...withoutPeople(shown, value as Json), ...maskedHeaders(shown) };
    const bodied = capabilities.includes('read_bodies') ? hidden : withoutBodies(hidden);
    return capabilities.includes('secrets') ? bodied : without(bodied, ['secret', 'verify_with']);
  };
  const { data, ...rest } = answer as { data?: readonly unknown[]; cursor?: unknown; after?: unknown };
  if (!Array.isArray(data)) return one(answer);
  return { data: data.map(one), ...picked(rest, ['cursor', 'after', 'next_poll_seconds']) };
}

const picked = (value: Json, names: Shape): Json =>
  Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
const without = (value: Json, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));

/** Your people's reasons are theirs; the customer's own, and ours, are shown. */
function withoutPeople(shown: Json, whole: Json): Json {
  const byOperator = shown['closed_by'] === 'operator' || ('by' in whole && !isByCustomer(String(whole['by'])));
  return 'why' in shown && byOperator ? { ...shown, why: null } : shown;
}

function maskedHeaders({ headers }: Json): Json {
  if (typeof headers !== 'object' || headers === null) return {};
  return { headers: Object.fromEntries(Object.keys(headers).map(name => [name, MASKED])) };
}

/** Bodies of requests and answers, wherever an answer has some. */
function withoutBodies(value: Json): Json {
  const inside = (name: string, bodies: readonly string[]): Json => {
    const part = value[name];
    if (typeof part !== 'object' || part === null) return {};
    const emptied = bodies.filter(each => each in part).map(each => [each, null]);
    return { [name]: { ...part, ...Object.fromEntries(emptied) } };
  };
  return {
    ...value,
    ...('response_body' in value ? { response_body: null } : {}),
    ...inside('last_attempt', ['snippet']),
    ...inside('request', ['body']),
    ...inside('response', ['body']),
  };
}
