/**
 * docs/api/delivery-openapi.json: the producer's API as OpenAPI 3.1. `npm run write` writes it; a test compares its routes
 * with the code's, and every reply with real ones.
 */
import type { DeliveryRoute, PUBLISH_ROUTES } from '#core/outbound/api/api-routes.ts';
import { VERSION } from '#core/version.ts';
import * as schemas from './delivery-schemas.ts';

const { body, pageOf, ref, text } = schemas;
type Schema = Readonly<Record<string, unknown>>;
type Route = DeliveryRoute | (typeof PUBLISH_ROUTES)[number];

export interface Described {
  readonly summary: string;
  readonly query?: Readonly<Record<string, Schema>>;
  readonly body?: Schema;
  /** Status to schema; undefined: no body. */
  readonly answers: Readonly<Record<number, Schema | undefined>>;
  /** Status to errors, besides those that every route has. */
  readonly errors?: Readonly<Record<number, readonly string[]>>;
}

const PATH: Readonly<Record<string, string>> = {
  app: 'The application: an id, or uid:<uid>.',
  ep: 'The endpoint: an id, or uid:<uid>.',
  msg: 'The message.',
  job: 'The replay job.',
  name: 'The event type.',
  contact: 'The contact, con_….',
  token: 'The id of a portal token, tok_…; never the token itself.',
};
const NO_APP = { 404: ['unknown_application'] } as const;
const NO_ENDPOINT = { 404: ['unknown_application', 'unknown_endpoint'] } as const;
const NO_MESSAGE = { 404: ['unknown_application', 'unknown_message'] } as const;
const PAGED = { 400: ['invalid_cursor'] } as const;
const PUBLISHED: Pick<Described, 'body' | 'answers' | 'errors'> = {
  body: body(schemas.MESSAGE_BODY, ['key', 'type']),
  answers: { 202: ref('Published') },
  errors: {
    ...NO_APP,
    409: ['key_reused'],
    410: ['erasing'],
    422: ['unknown_type', 'unknown_version', 'schema_mismatch'],
    429: ['quota'],
  },
};
const gate = (summary: string, given = schemas.GATE_BODY as Readonly<Record<string, Schema>>): Described => ({
  summary,
  body: body(given),
  answers: { 200: ref('Gate') },
  errors: { ...NO_ENDPOINT, 409: ['gate_closed'] },
});
const steer = (summary: string): Described => ({
  summary,
  body: body({}),
  answers: { 200: ref('ReplayJob') },
  errors: { 404: ['unknown_job'], 409: ['job_over'] },
});

const E = '/v1/apps/{app}/endpoints/{ep}';
export const ROUTES: Readonly<Record<Route, Described>> = {
  'POST /v1/apps': {
    summary: 'Makes an application, one for each customer.',
    body: body({ ...schemas.APPLICATION_BODY, ...schemas.UID_BODY }, ['name']),
    answers: { 201: ref('Application') },
    errors: { 409: ['uid_taken'] },
  },
  'GET /v1/apps': {
    summary: 'All applications.',
    query: schemas.PAGE_QUERY,
    answers: { 200: pageOf('Application') },
    errors: PAGED,
  },
  'GET /v1/apps/{app}': { summary: 'One application.', answers: { 200: ref('Application') }, errors: NO_APP },
  'PUT /v1/apps/{app}': {
    summary: 'Makes or changes the application of uid:<uid>; safe to repeat.',
    body: body(schemas.APPLICATION_BODY, ['name']),
    answers: { 200: ref('Application'), 201: ref('Application') },
    errors: { 409: ['uid_taken', 'version_changed'], 410: ['erasing'] },
  },
  'PATCH /v1/apps/{app}': {
    summary: 'Changes an application.',
    body: body(schemas.APPLICATION_BODY),
    answers: { 200: ref('Application') },
    errors: { ...NO_APP, 409: ['version_changed'], 410: ['erasing'] },
  },
  'DELETE /v1/apps/{app}': {
    summary: 'Erases an application with all of its customer; wants ?erase=true.',
    query: schemas.ERASE_QUERY,
    answers: { 202: ref('Erasure') },
    errors: NO_APP,
  },
  'GET /v1/apps/{app}/erasure': {
    summary: 'How far an erasure is; then its report, which outlives the application (by its id).',
    query: schemas.ERASURE_QUERY,
    answers: { 200: ref('Erasure') },
    errors: { 404: ['unknown_application', 'unknown_erasure'] },
  },
  'POST /v1/apps/{app}/secrets/reseal': {
    summary: 'Seals secrets of endpoints anew, for `holdfast out rotate-master`.',
    query: schemas.PAGE_QUERY,
    answers: { 200: ref('Resealed') },
    errors: { ...NO_APP, ...PAGED },
  },
  'POST /v1/apps/{app}/endpoints': {
    summary: 'Makes an endpoint; its secret is in the answer.',
    query: schemas.VERIFY_QUERY,
    body: body({ ...schemas.ENDPOINT_BODY, ...schemas.SECRET_BODY, ...schemas.UID_BODY }),
    answers: { 201: ref('EndpointWithSecret') },
    errors: {
      ...NO_APP,
      409: ['uid_taken', 'version_changed'],
      410: ['erasing'],
      422: ['address_not_allowed', 'verify_failed'],
      429: ['quota'],
    },
  },
  'GET /v1/apps/{app}/endpoints': {
    summary: 'Endpoints of an application.',
    query: schemas.STATE_QUERY,
    answers: { 200: pageOf('EndpointWithState') },
    errors: { ...NO_APP, ...PAGED },
  },
  [`GET ${E}`]: { summary: 'One endpoint.', answers: { 200: ref('EndpointWithState') }, errors: NO_ENDPOINT },
  [`PUT ${E}`]: {
    summary: 'Makes or changes the endpoint of uid:<uid>; safe to repeat.',
    body: body({ ...schemas.ENDPOINT_BODY, ...schemas.SECRET_BODY }),
    answers: { 200: ref('Endpoint'), 201: ref('EndpointWithSecret') },
    errors: {
      404: ['unknown_application', 'unknown_endpoint'],
      409: ['uid_taken', 'version_changed'],
      410: ['erasing'],
      422: ['address_not_allowed'],
      429: ['quota'],
    },
  },
  [`PATCH ${E}`]: {
    summary: 'Changes an endpoint; what waits goes to the new URL, too.',
    body: body({ ...schemas.ENDPOINT_BODY, ...schemas.IF_VERSION }),
    answers: { 200: ref('Endpoint') },
    errors: { ...NO_ENDPOINT, 409: ['version_changed'], 410: ['erasing'], 422: ['address_not_allowed'] },
  },
  [`DELETE ${E}`]: {
    summary: 'Deletes an endpoint; what waits ends as canceled.',
    answers: { 204: undefined },
    errors: NO_ENDPOINT,
  },
  [`GET ${E}/secret`]: {
    summary: 'Shows the live secrets, and logs who asked.',
    answers: { 200: ref('Keys') },
    errors: NO_ENDPOINT,
  },
  [`POST ${E}/secret/rotate`]: {
    summary: 'A new secret signs at once, the old one for the grace.',
    body: body(schemas.ROTATE_BODY),
    answers: { 201: ref('Key') },
    errors: { ...NO_ENDPOINT, 409: ['too_many_secrets', 'version_changed', 'wrong_kind'] },
  },
  [`POST ${E}/secret/activate`]: {
    summary: 'Forms with room for one signature use the newest secret.',
    body: body({}),
    answers: { 200: ref('ActiveKey') },
    errors: { ...NO_ENDPOINT, 409: ['version_changed', 'wrong_kind'] },
  },
  [`POST ${E}/pause`]: gate('Nothing is sent, and nothing is lost.'),
  [`POST ${E}/resume`]: gate('Sends what waited.'),
  [`POST ${E}/disable`]: gate('As pause; tests are refused as well.'),
  [`POST ${E}/enable`]: gate('Opens it; takes what to do with what waited.', schemas.ENABLE_BODY),
  [`POST ${E}/trial`]: {
    ...gate('One request now, whatever the hold says.', {}),
    errors: { ...NO_ENDPOINT, 409: ['gate_closed', 'wrong_kind'] },
  },
  [`POST ${E}/test`]: {
    summary: 'One signed request now; ten a minute and application.',
    body: body(schemas.TEST_BODY),
    answers: { 200: ref('TestResult') },
    errors: { ...NO_ENDPOINT, 409: ['gate_closed', 'wrong_kind'], 429: ['quota'] },
  },
  [`GET ${E}/tests`]: {
    summary: 'Its tests with what was sent and answered, newest first; kept as deliveries are.',
    query: schemas.PAGE_QUERY,
    answers: { 200: pageOf('Test') },
    errors: { ...NO_ENDPOINT, ...PAGED },
  },
  [`GET ${E}/health`]: { summary: 'How the endpoint is.', answers: { 200: ref('Health') }, errors: NO_ENDPOINT },
  [`GET ${E}/deliveries`]: {
    summary: 'Deliveries, newest first.',
    query: schemas.DELIVERY_QUERY,
    answers: { 200: pageOf('Delivery') },
    errors: { ...NO_ENDPOINT, ...PAGED },
  },
  [`GET ${E}/messages`]: {
    summary: 'Of kind pull: what waits, with bodies, until acknowledged.',
    query: schemas.PULL_QUERY,
    answers: { 200: ref('Pulled') },
    errors: { ...NO_ENDPOINT, 409: ['gate_closed', 'wrong_kind'] },
  },
  [`POST ${E}/ack`]: {
    summary: 'Of kind pull: what came with the cursor is delivered; safe to repeat.',
    body: body(schemas.ACK_BODY, ['cursor']),
    answers: { 200: ref('Acknowledged') },
    errors: { 400: ['invalid_cursor'], ...NO_ENDPOINT, 409: ['wrong_kind'] },
  },
  'GET /v1/apps/{app}/deliveries': {
    summary:
      'Deliveries of all its endpoints, newest first; pending ones by when they are due, dead ones by their death.',
    query: schemas.APPLICATION_QUERY,
    answers: { 200: pageOf('Delivery') },
    errors: { ...NO_ENDPOINT, ...PAGED },
  },
  [`GET ${E}/deliveries/{msg}/attempts`]: {
    summary: 'Each failed attempt in full; a success as recorded.',
    query: schemas.PAGE_QUERY,
    answers: { 200: pageOf('Attempt') },
    errors: { ...PAGED, 404: [...NO_ENDPOINT[404], 'unknown_delivery'] },
  },
  [`POST ${E}/deliveries/{msg}/replay`]: {
    summary: 'Sends it again, once per request_id.',
    body: body(schemas.REPLAY_BODY, ['request_id']),
    answers: { 202: ref('Replayed') },
    errors: {
      404: [...NO_ENDPOINT[404], 'unknown_delivery'],
      409: ['not_final', 'already_replayed', 'gate_closed'],
      410: ['message_gone'],
    },
  },
  'POST /v1/apps/{app}/messages': { summary: 'Publishes a message.', ...PUBLISHED },
  'POST /v1/broadcasts': { summary: 'Publishes a message to every application.', ...PUBLISHED },
  'POST /v1/apps/{app}/messages/match': {
    summary: 'Who would get such a message, and why the others would not.',
    body: body(schemas.MATCH_BODY, ['type']),
    answers: { 200: ref('Match') },
    errors: NO_APP,
  },
  'GET /v1/apps/{app}/messages': {
    summary: 'Messages, newest first.',
    query: schemas.MESSAGE_QUERY,
    answers: { 200: pageOf('Message') },
    errors: { ...NO_APP, ...PAGED },
  },
  'GET /v1/apps/{app}/feed': {
    summary: 'Messages with bodies, oldest first, behind `after`: to be polled.',
    query: schemas.FEED_QUERY,
    answers: { 200: ref('Feed') },
    errors: NO_APP,
  },
  'GET /v1/apps/{app}/messages/{msg}': {
    summary: 'One message.',
    answers: { 200: ref('Message') },
    errors: NO_MESSAGE,
  },
  'GET /v1/apps/{app}/messages/{msg}/body': {
    summary: 'Its bytes.',
    answers: { 200: ref('MessageBody') },
    errors: { ...NO_MESSAGE, 410: ['message_gone'] },
  },
  'DELETE /v1/apps/{app}/messages/{msg}/body': {
    summary: 'Erases its body for good; what waits of it ends as canceled.',
    answers: { 200: ref('ErasedMessage') },
    errors: NO_MESSAGE,
  },
  'GET /v1/apps/{app}/messages/{msg}/deliveries': {
    summary: 'What happened to it at each endpoint.',
    query: schemas.OF_MESSAGE_QUERY,
    answers: { 200: pageOf('Delivery') },
    errors: { ...PAGED, 404: [...NO_MESSAGE[404], 'unknown_endpoint'] },
  },
  'POST /v1/replay-jobs': {
    summary: 'Replays many deliveries as a job.',
    body: body(schemas.JOB_BODY, ['app']),
    answers: { 202: ref('ReplayJob') },
    errors: { ...NO_ENDPOINT, 410: ['message_gone'] },
  },
  'GET /v1/replay-jobs': {
    summary: 'Jobs: live ones, then those that are over, newest first.',
    query: schemas.PAGE_QUERY,
    answers: { 200: pageOf('ReplayJob') },
    errors: PAGED,
  },
  'GET /v1/replay-jobs/{job}': {
    summary: 'One job.',
    answers: { 200: ref('ReplayJob') },
    errors: { 404: ['unknown_job'] },
  },
  'POST /v1/replay-jobs/{job}/pause': steer('Stops a job until it is resumed.'),
  'POST /v1/replay-jobs/{job}/resume': steer('Continues a job.'),
  'POST /v1/replay-jobs/{job}/cancel': steer('Ends a job.'),
  'GET /v1/event-types': {
    summary: 'The catalogue.',
    query: schemas.PAGE_QUERY,
    answers: { 200: pageOf('EventType') },
    errors: PAGED,
  },
  'GET /v1/event-types/{name}': {
    summary: 'One type.',
    answers: { 200: ref('EventType') },
    errors: { 400: [], 404: ['unknown_type'] },
  },
  'PUT /v1/event-types/{name}': {
    summary: 'Makes or replaces a type; safe to repeat.',
    body: body(schemas.TYPE_BODY),
    answers: { 200: ref('EventType') },
  },
  'DELETE /v1/event-types/{name}': { summary: 'Removes a type.', answers: { 204: undefined }, errors: { 400: [] } },
  'GET /v1/summary': {
    summary: 'Endpoints by state, as the last endpoint check found them.',
    answers: { 200: ref('Summary') },
    errors: {},
  },
  'POST /v1/apps/{app}/portal-tokens': {
    summary: 'Makes a token for a customer, for hours.',
    body: body(schemas.TOKEN_BODY),
    answers: { 201: ref('PortalToken') },
    errors: { ...NO_APP, 409: ['no_portal'], 410: ['erasing'] },
  },
  'DELETE /v1/apps/{app}/portal-tokens': {
    summary: 'Revokes every token of the application.',
    answers: { 204: undefined },
    errors: { ...NO_APP, 409: ['version_changed'], 410: ['erasing'] },
  },
  'DELETE /v1/apps/{app}/portal-tokens/{token}': {
    summary: 'Revokes one token, by its id; safe to repeat.',
    answers: { 204: undefined },
    errors: { ...NO_APP, 400: [], 409: ['too_many_revoked', 'version_changed'], 410: ['erasing'] },
  },
  'GET /v1/apps/{app}/contacts': {
    summary: 'Who is told when endpoints of the application fail.',
    answers: { 200: pageOf('Contact') },
    errors: { ...NO_APP, 409: ['no_contacts'] },
  },
  'POST /v1/apps/{app}/contacts': {
    summary: 'Adds a contact, and asks it to confirm; only this answer has the secret of a URL.',
    body: body(schemas.CONTACT_BODY),
    answers: { 200: ref('Contact'), 201: ref('ContactWithSecret') },
    errors: {
      ...NO_APP,
      409: ['no_contacts', 'no_email', 'version_changed'],
      410: ['erasing'],
      422: ['address_not_allowed'],
      429: ['quota'],
    },
  },
  'DELETE /v1/apps/{app}/contacts/{contact}': {
    summary: 'Removes a contact.',
    answers: { 204: undefined },
    errors: {
      404: ['unknown_application', 'unknown_contact'],
      409: ['no_contacts', 'version_changed'],
      410: ['erasing'],
    },
  },
  'GET /v1/stats': {
    summary: 'Attempts by hour of the last day.',
    query: schemas.STATS_QUERY,
    answers: { 200: ref('Stats') },
    errors: NO_ENDPOINT,
  },
};

/** Errors of a route by status, those of every route with a body or a query among them. */
export function errorsOf(route: Route): Readonly<Record<string, readonly string[]>> {
  const { errors = {}, body: given, query } = ROUTES[route];
  const all: Record<string, readonly string[]> = { ...errors, 503: ['not_recorded'] };
  if (given !== undefined || query !== undefined || 400 in errors)
    all['400'] = ['invalid_request', ...(errors[400] ?? [])];
  if (given !== undefined) all['413'] = ['too_large'];
  return all;
}

/** One operation of OpenAPI. `refusals`: errors by status. */
export function operationOf(
  route: string,
  { summary, query = {}, body: given, answers }: Described,
  refusals: Readonly<Record<string, readonly string[]>>,
): Schema {
  const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const responses: Record<string, unknown> = {};
  for (const [status, schema] of Object.entries(answers)) {
    responses[status] = {
      description: Number(status) === 204 ? 'Done.' : 'The answer.',
      ...(schema === undefined ? {} : { content: { 'application/json': { schema } } }),
    };
  }
  for (const [status, errors] of Object.entries(refusals)) {
    const schema = { allOf: [ref('Problem'), { type: 'object', properties: { error: { enum: [...errors] } } }] };
    const later = ['429', '503'].includes(status)
      ? { headers: { 'Retry-After': { schema: { type: 'integer' } } } }
      : {};
    responses[status] = {
      description: `Refused: ${errors.join(', ')}.`,
      ...later,
      content: { 'application/problem+json': { schema } },
    };
  }
  return {
    operationId: route
      .replace(/\/v1\/|[{}]/g, '')
      .replace(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase())
      .replace(/^\w/, each => each.toLowerCase()),
    summary,
    parameters: [
      ...names.map(name => ({ name, in: 'path', required: true, schema: text(PATH[name]) })),
      ...Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema })),
    ],
    ...(given === undefined ? {} : { requestBody: { content: { 'application/json': { schema: given } } } }),
    responses: Object.fromEntries(Object.entries(responses).sort(([a], [b]) => a.localeCompare(b))),
  };
}

export function deliveryDocument(): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const route of Object.keys(ROUTES) as Route[]) {
    const [method = '', path = ''] = route.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(route, ROUTES[route], errorsOf(route)) };
  }
  const variables = { api: { default: 'abc123' }, region: { default: 'eu-central-1' } };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Holdfast delivery API',
      version: VERSION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description:
        'What a producer does with its customers’ webhooks. Every route wants a request signed with AWS credentials (SigV4, service execute-api) whose identity may execute-api:Invoke it; without that API Gateway answers 403. Every POST may be repeated. Refusals are application/problem+json.',
    },
    servers: [{ url: 'https://{api}.execute-api.{region}.amazonaws.com', variables }],
    security: [{ iam: [] }],
    paths,
    components: {
      schemas: schemas.SCHEMAS,
      securitySchemes: {
        iam: { type: 'apiKey', name: 'Authorization', in: 'header', description: 'AWS Signature Version 4.' },
      },
    },
  };
}
