/** Every route of the producer's API, as API Gateway writes them. docs/api/delivery.md describes the same ones. */

const ENDPOINT = '/v1/apps/{app}/endpoints/{ep}';

/** Answered by the `publish` function. */
export const PUBLISH_ROUTES = ['POST /v1/apps/{app}/messages', 'POST /v1/broadcasts'] as const;

/** Of the `delivery-api` function, only where there is a portal. */
export const PORTAL_TOKEN_ROUTES = [
  'POST /v1/apps/{app}/portal-tokens',
  'DELETE /v1/apps/{app}/portal-tokens',
  'DELETE /v1/apps/{app}/portal-tokens/{token}',
] as const;

/** Of the `delivery-api` function and the portal, only where there are contacts. */
export const CONTACT_ROUTES = [
  'GET /v1/apps/{app}/contacts',
  'POST /v1/apps/{app}/contacts',
  'DELETE /v1/apps/{app}/contacts/{contact}',
] as const;

/** Answered by the `delivery-api` function. */
export const DELIVERY_ROUTES = [
  ...(['POST /v1/apps', 'GET /v1/apps'] as const),
  ...(['GET /v1/apps/{app}', 'PUT /v1/apps/{app}', 'PATCH /v1/apps/{app}', 'DELETE /v1/apps/{app}'] as const),
  ...(['GET /v1/apps/{app}/erasure', 'POST /v1/apps/{app}/secrets/reseal'] as const),
  ...(['POST /v1/apps/{app}/endpoints', 'GET /v1/apps/{app}/endpoints'] as const),
  ...([`GET ${ENDPOINT}`, `PUT ${ENDPOINT}`, `PATCH ${ENDPOINT}`, `DELETE ${ENDPOINT}`] as const),
  ...([`GET ${ENDPOINT}/secret`, `POST ${ENDPOINT}/secret/rotate`, `POST ${ENDPOINT}/secret/activate`] as const),
  ...([`POST ${ENDPOINT}/pause`, `POST ${ENDPOINT}/resume`, `POST ${ENDPOINT}/disable`] as const),
  ...([`POST ${ENDPOINT}/enable`, `POST ${ENDPOINT}/trial`, `POST ${ENDPOINT}/test`] as const),
  `GET ${ENDPOINT}/tests`,
  ...([`GET ${ENDPOINT}/health`, `GET ${ENDPOINT}/deliveries`] as const),
  ...([`GET ${ENDPOINT}/messages`, `POST ${ENDPOINT}/ack`] as const),
  ...([`GET ${ENDPOINT}/deliveries/{msg}/attempts`, `POST ${ENDPOINT}/deliveries/{msg}/replay`] as const),
  'GET /v1/apps/{app}/deliveries',
  ...(['POST /v1/apps/{app}/messages/match', 'GET /v1/apps/{app}/messages'] as const),
  ...(['GET /v1/apps/{app}/messages/{msg}', 'GET /v1/apps/{app}/messages/{msg}/body'] as const),
  'DELETE /v1/apps/{app}/messages/{msg}/body',
  'GET /v1/apps/{app}/messages/{msg}/deliveries',
  'GET /v1/apps/{app}/feed',
  ...(['POST /v1/replay-jobs', 'GET /v1/replay-jobs', 'GET /v1/replay-jobs/{job}'] as const),
  ...(['POST /v1/replay-jobs/{job}/pause', 'POST /v1/replay-jobs/{job}/resume'] as const),
  'POST /v1/replay-jobs/{job}/cancel',
  ...(['GET /v1/event-types', 'GET /v1/event-types/{name}'] as const),
  ...(['PUT /v1/event-types/{name}', 'DELETE /v1/event-types/{name}'] as const),
  ...(['GET /v1/stats', 'GET /v1/summary'] as const),
  ...PORTAL_TOKEN_ROUTES,
  ...CONTACT_ROUTES,
] as const;

export type DeliveryRoute = (typeof DELIVERY_ROUTES)[number];
