/**
 * What a customer may ask: routes of the producer's API, and one of its own. Each has the capability it wants, and what is
 * shown of its answer (of a list, of its items): the fields that are named here, and no other, so that one which comes later is not shown by accident.
 * Not shown: other applications, names of your own, who of your people did what and why, how we send.
 */
import { CUSTOMER_FIELDS } from '#core/outbound/api/endpoint-body.ts';
import type { Capability } from '#core/outbound/api/portal-token.ts';

const APP = '/v1/apps/{app}';
const E = `${APP}/endpoints/{ep}` as const;

export type Shape = readonly string[];

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

/** Who I am, what I may, what it is called: the page asks it first. */
export const SESSION_ROUTE = 'GET /v1/session';

/** Publishing, applications, other people's catalogue and names of your own (`uid:`, PUT) are the producer's alone. */
const ROUTES = [
  [SESSION_ROUTE, 'read', []],
  [`GET ${APP}/endpoints`, 'read', ENDPOINT],
  [`POST ${APP}/endpoints`, 'manage', [...ENDPOINT, ...KEY]],
  [`GET ${E}`, 'read', [...ENDPOINT, 'secret_algs']],
  [`PATCH ${E}`, 'manage', ENDPOINT],
  [`DELETE ${E}`, 'manage', []],
  [`GET ${E}/secret`, 'secrets', KEY],
  [`POST ${E}/secret/rotate`, 'secrets', KEY],
  [`POST ${E}/secret/activate`, 'secrets', KEY],
  [`POST ${E}/pause`, 'manage', ['id', ...STATE]],
  [`POST ${E}/resume`, 'manage', ['id', ...STATE]],
  [`POST ${E}/disable`, 'manage', ['id', ...STATE]],
  [`POST ${E}/enable`, 'manage', ['id', ...STATE]],
  [`POST ${E}/trial`, 'manage', ['id', ...STATE]],
  [`POST ${E}/test`, 'test', TEST],
  [`GET ${E}/tests`, 'read', ['id', 'type', 'at', 'class', 'code', 'detail', 'timings_ms', 'request', 'response']],
  [`GET ${E}/health`, 'read', HEALTH],
  [`GET ${E}/deliveries`, 'read', DELIVERY],
  [`GET ${E}/deliveries/{msg}/attempts`, 'read', ATTEMPT],
  [`POST ${E}/deliveries/{msg}/replay`, 'replay', ['endpoint', 'message', 'generation']],
  [`GET ${E}/messages`, 'read_bodies', BODIED],
  [`POST ${E}/ack`, 'ack', ['acknowledged']],
  [`GET ${APP}/deliveries`, 'read', DELIVERY],
  [`GET ${APP}/messages`, 'read', MESSAGE],
  [`GET ${APP}/messages/{msg}`, 'read', MESSAGE],
  [`GET ${APP}/messages/{msg}/body`, 'read_bodies', ['content_type', 'base64']],
  [`GET ${APP}/messages/{msg}/deliveries`, 'read', DELIVERY],
  [`GET ${APP}/feed`, 'read_bodies', BODIED],
  ['POST /v1/replay-jobs', 'replay', JOB],
  ['GET /v1/replay-jobs', 'read', JOB],
  ['GET /v1/replay-jobs/{job}', 'read', JOB],
  ['POST /v1/replay-jobs/{job}/pause', 'replay', JOB],
  ['POST /v1/replay-jobs/{job}/resume', 'replay', JOB],
  ['POST /v1/replay-jobs/{job}/cancel', 'replay', JOB],
  ['GET /v1/event-types', 'read', TYPE],
  ['GET /v1/event-types/{name}', 'read', TYPE],
  ['GET /v1/stats', 'read', ['endpoints', 'complete', 'hours', 'each']],
  [`GET ${APP}/contacts`, 'read', CONTACT],
  [`POST ${APP}/contacts`, 'manage', [...CONTACT, ...KEY]],
  [`DELETE ${APP}/contacts/{contact}`, 'manage', []],
] as const;

export type PortalRoute = (typeof ROUTES)[number][0];
export const PORTAL_ROUTES: readonly PortalRoute[] = ROUTES.map(([route]) => route);
const byRoute = <T>(pick: (row: (typeof ROUTES)[number]) => T) =>
  Object.fromEntries(ROUTES.map(row => [row[0], pick(row)])) as Readonly<Record<PortalRoute, T>>;
export const PORTAL_CAPABILITIES = byRoute<Capability>(([, capability]) => capability);
export const SHAPES = byRoute<Shape>(([, , shape]) => shape);

/** As API Gateway has it: below `/portal`. */
export const publicRoute = (route: PortalRoute): string => route.replace(' /v1/', ' /portal/v1/');

/** The page and its files, for anybody: they say nothing of any customer. */
export const PAGE_ROUTES = ['GET /portal', 'GET /portal/{file}'] as const;
/** Where there are contacts: what a link in a message to one does, for whoever has it. A GET shows the page, and does nothing. */
export const LINK_ROUTE = 'POST /portal';
