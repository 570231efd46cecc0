/**
 * docs/api/portal-openapi.json: what a customer may call with a portal token, as OpenAPI 3.1. It is the producer's document,
 * cut to the routes, fields and answers of a customer by the tables that the code itself goes by. `npm run write` writes it.
 */

import { CUSTOMER_JOB_FIELDS, CUSTOMER_REPLAY_FIELDS } from '#core/outbound/api/deliveries/replay-api.ts';
import { CUSTOMER_FIELDS } from '#core/outbound/api/endpoint-body.ts';
import { CAPABILITIES } from '#core/outbound/api/portal-token.ts';
import {
  PORTAL_CAPABILITIES,
  PORTAL_ROUTES,
  type PortalRoute,
  publicRoute,
  SESSION_ROUTE,
  SHAPES,
} from '#core/outbound/portal/portal-routes.ts';
import { CONTACT_KINDS } from '#core/outbound/protocol/items.ts';
import { VERSION } from '#core/version.ts';
import { type Described, errorsOf, operationOf, ROUTES } from './delivery-document.ts';
import { object, SCHEMAS, text } from './delivery-schemas.ts';

type Schema = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, Schema>>;
type Errors = Readonly<Record<string, readonly string[]>>;

const E = '/v1/apps/{app}/endpoints/{ep}';
const SESSION: Described = {
  summary: 'Who the token is for, and what it allows.',
  answers: {
    200: object({
      application: object({ id: text(), name: text() }),
      capabilities: { type: 'array', items: { type: 'string', enum: [...CAPABILITIES] } },
      contacts: {
        type: 'array',
        items: { type: 'string', enum: [...CONTACT_KINDS] },
        description: 'What a contact may be; empty: there are none.',
      },
      subject: { type: ['string', 'null'] },
      expires_at: { type: 'string', format: 'date-time' },
      now: { type: 'string', format: 'date-time' },
    }),
  },
};
/** Fields of a body that a customer may give, where they are not all. */
const BODIES: Readonly<Partial<Record<PortalRoute, readonly string[]>>> = {
  'POST /v1/apps/{app}/endpoints': CUSTOMER_FIELDS,
  [`PATCH ${E}`]: [...CUSTOMER_FIELDS, 'if_version'],
  [`POST ${E}/deliveries/{msg}/replay`]: CUSTOMER_REPLAY_FIELDS,
  'POST /v1/replay-jobs': Object.keys(CUSTOMER_JOB_FIELDS),
};
/** Absent without the capability `secrets`. */
const SECRETS = ['secret', 'verify_with'];
/** Null without the capability `read_bodies`. */
const BODY_TEXTS = ['body', 'snippet', 'response_body'];

const pick = (properties: Properties, names: readonly string[]): Properties =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name)));

function resolved(schema: Schema): Schema {
  const name =
    String(schema['$ref'] ?? '')
      .split('/')
      .at(-1) ?? '';
  return SCHEMAS[name] ?? schema;
}

/** Texts of bodies may be null, however deep they are. */
function hideable(schema: Schema): Schema {
  const { properties, oneOf } = schema as { properties?: Properties; oneOf?: readonly Schema[] };
  const nullable = (each: Schema): Schema => (each['type'] === 'string' ? { ...each, type: ['string', 'null'] } : each);
  const inside = Object.entries(properties ?? {}).map(([name, each]) => [
    name,
    hideable(BODY_TEXTS.includes(name) ? nullable(each) : each),
  ]);
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(inside) }),
    ...(oneOf && { oneOf: oneOf.map(hideable) }),
  };
}

/** An answer as the customer sees it. */
function seen(schema: Schema, shape: readonly string[]): Schema {
  const whole = resolved(schema) as { properties?: Properties; required?: readonly string[] };
  const { properties = {}, required = [] } = whole;
  const { data } = properties as { data?: { items?: Schema } };
  if (data?.items !== undefined) {
    const list = { ...data, items: seen(data.items, shape) };
    return { ...whole, properties: { ...properties, data: list } };
  }
  const names = required.filter(name => shape.includes(name) && !SECRETS.includes(name));
  return hideable({ ...whole, required: names, properties: pick(properties, shape) });
}

function describedFor(route: PortalRoute): Described {
  if (route === SESSION_ROUTE) return SESSION;
  const { body, answers, ...rest } = ROUTES[route] as Described;
  const allowed = BODIES[route];
  const given =
    body && allowed ? { ...body, properties: pick((body as { properties: Properties }).properties, allowed) } : body;
  const shown = Object.entries(answers).map(([status, schema]) => [status, schema && seen(schema, SHAPES[route])]);
  return { ...rest, ...(given && { body: given }), answers: Object.fromEntries(shown) as Described['answers'] };
}

/** Those of the producer's route, and those of a token. */
function refusalsOf(route: PortalRoute): Errors {
  const own: Errors = route === SESSION_ROUTE ? { 503: ['not_recorded'] } : errorsOf(route);
  const { 410: _, ...job } = own;
  // A job for one message: of a customer, its own. One that is gone and one of another are the same.
  const known = route === 'POST /v1/replay-jobs' ? { ...job, 404: [...(own[404] ?? []), 'unknown_message'] } : own;
  return {
    ...known,
    401: ['token_missing', 'token_invalid', 'token_expired', 'token_revoked'],
    403: ['not_allowed'],
    429: ['quota'],
  };
}

/** Of all schemas, those that something here refers to. */
function referredTo(paths: unknown): Properties {
  const found: Record<string, Schema> = {};
  const look = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (name in found) continue;
      found[name] = SCHEMAS[name] ?? {};
      look(found[name]);
    }
  };
  look(paths);
  return found;
}

export function portalDocument(): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const route of PORTAL_ROUTES) {
    const [method = '', path = ''] = publicRoute(route).split(' ');
    const { summary, ...described } = describedFor(route);
    const told = { ...described, summary: `${summary} Wants the capability ${PORTAL_CAPABILITIES[route]}.` };
    const operation = operationOf(publicRoute(route), told, refusalsOf(route));
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  const variables = { api: { default: 'abc123' }, region: { default: 'eu-central-1' } };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Holdfast portal API',
      version: VERSION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description:
        'What a customer may do with its own webhooks, with the token that the producer gave it. 20 calls a second and application. Bodies are null without the capability read_bodies, secrets absent without secrets. Refusals are application/problem+json.',
    },
    servers: [{ url: 'https://{api}.execute-api.{region}.amazonaws.com', variables }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas: referredTo(paths),
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'hfp_…, for one application.' } },
    },
  };
}
