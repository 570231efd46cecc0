/** What a customer may ask: routes of the producer's API, each with the capability it wants, and one of its own. */
import type { Capability } from '#core/outbound/api/portal-token.ts';

const APP = '/v1/apps/{app}';
const ENDPOINT = `${APP}/endpoints/{ep}` as const;

/** Who I am, what I may, what it is called: the page asks it first. */
export const SESSION_ROUTE = 'GET /v1/session';

/** Publishing, applications, other people's catalogue and names of your own (`uid:`, PUT) are the producer's alone. */
const ROUTES = [
  [SESSION_ROUTE, 'read'],
  [`GET ${APP}/endpoints`, 'read'],
  [`POST ${APP}/endpoints`, 'manage'],
  [`GET ${ENDPOINT}`, 'read'],
  [`PATCH ${ENDPOINT}`, 'manage'],
  [`DELETE ${ENDPOINT}`, 'manage'],
  [`GET ${ENDPOINT}/secret`, 'secrets'],
  [`POST ${ENDPOINT}/secret/rotate`, 'secrets'],
  [`POST ${ENDPOINT}/secret/activate`, 'secrets'],
  [`POST ${ENDPOINT}/pause`, 'manage'],
  [`POST ${ENDPOINT}/resume`, 'manage'],
  [`POST ${ENDPOINT}/disable`, 'manage'],
  [`POST ${ENDPOINT}/enable`, 'manage'],
  [`POST ${ENDPOINT}/trial`, 'manage'],
  [`POST ${ENDPOINT}/test`, 'test'],
  [`GET ${ENDPOINT}/tests`, 'read'],
  [`GET ${ENDPOINT}/health`, 'read'],
  [`GET ${ENDPOINT}/deliveries`, 'read'],
  [`GET ${ENDPOINT}/deliveries/{msg}/attempts`, 'read'],
  [`POST ${ENDPOINT}/deliveries/{msg}/replay`, 'replay'],
  [`GET ${ENDPOINT}/messages`, 'read_bodies'],
  [`POST ${ENDPOINT}/ack`, 'ack'],
  [`GET ${APP}/deliveries`, 'read'],
  [`GET ${APP}/messages`, 'read'],
  [`GET ${APP}/messages/{msg}`, 'read'],
  [`GET ${APP}/messages/{msg}/body`, 'read_bodies'],
  [`GET ${APP}/messages/{msg}/deliveries`, 'read'],
  [`GET ${APP}/feed`, 'read_bodies'],
  ['POST /v1/replay-jobs', 'replay'],
  ['GET /v1/replay-jobs', 'read'],
  ['GET /v1/replay-jobs/{job}', 'read'],
  ['POST /v1/replay-jobs/{job}/pause', 'replay'],
  ['POST /v1/replay-jobs/{job}/resume', 'replay'],
  ['POST /v1/replay-jobs/{job}/cancel', 'replay'],
  ['GET /v1/event-types', 'read'],
  ['GET /v1/event-types/{name}', 'read'],
  ['GET /v1/stats', 'read'],
  [`GET ${APP}/contacts`, 'read'],
  [`POST ${APP}/contacts`, 'manage'],
  [`DELETE ${APP}/contacts/{contact}`, 'manage'],
] as const;

export type PortalRoute = (typeof ROUTES)[number][0];
export const PORTAL_ROUTES: readonly PortalRoute[] = ROUTES.map(([route]) => route);
export const PORTAL_CAPABILITIES = Object.fromEntries(ROUTES) as Readonly<Record<PortalRoute, Capability>>;

/** As API Gateway has it: below `/portal`. */
export const publicRoute = (route: PortalRoute): string => route.replace(' /v1/', ' /portal/v1/');

/** The page and its files, for anybody: they say nothing of any customer. */
export const PAGE_ROUTES = ['GET /portal', 'GET /portal/{file}'] as const;
/** Where there are contacts: what a link in a message to one does, for whoever has it. A GET shows the page, and does nothing. */
export const LINK_ROUTE = 'POST /portal';
