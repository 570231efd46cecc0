/**
 * Every field of every request of the three APIs, as its OpenAPI document bounds it, against what the running code refuses:
 * just inside is taken, just outside is refused, and no document promises what the code does not hold.
 */
import { describe, expect, it } from 'vitest';
import { answerApi } from '#core/inbound/api/api-requests.ts';
import type { ApiRoute } from '#core/inbound/api/api-routes.ts';
import { type DeliveryRoute, PUBLISH_ROUTES } from '#core/outbound/api/api-routes.ts';
import { answerPortal } from '#core/outbound/portal/answer-portal.ts';
import { PORTAL_ROUTES, publicRoute } from '#core/outbound/portal/portal-routes.ts';
import { ApiDocument } from '#test/kit/api-document.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { type Json, producerWorld } from '#test/kit/producer-world.ts';
import { StatusApi } from '#test/proof/journeys/support/status-api.ts';
import { type Bounds, fits, probesOf, sampleOf } from './request-probes.ts';

/** What a check refuses although the document allows it, by what it says is allowed: no schema can say it, or it is not the same everywhere. */
const STRICTER: readonly {
  readonly told: RegExp;
  readonly why: string;
  readonly probe?: readonly [string, unknown];
}[] = [
  { told: /no longer than the environment|a second from 1 to 300/, why: 'the environment has less' },
  { told: /^shop, pay$/, why: 'sources of the environment' },
  { told: /ISO 8601|how long ago/, why: 'a day that no calendar has' },
  { told: /body-sha256 and t-v1 only|with timestamp-sha256 only/, why: 'another field has to go with it' },
  { told: /^a value for /, why: 'another field has to go with it' },
  { told: /like alone: svix/, why: 'another field has to go with it' },
  { told: /only of a deprecated type/, why: 'another field has to go with it' },
  { told: /each version once/, why: 'one item goes by another' },
  { told: /keywords of JSON Schema/, why: 'a schema by its own schema' },
  { told: /of at most 32 KB/, why: 'a length as JSON', probe: ['schema', { description: 'x'.repeat(32_768) }] },
  { told: /of at most 2 KB/, why: 'a length as JSON', probe: ['metadata', { a: 'x'.repeat(2_048) }] },
  { told: /at most 5 steps/, why: 'a depth', probe: ['filter', { all: [{ path: 'a.b.c.d.e.f', op: 'exists' }] }] },
  { told: /a header of your own/, why: 'names that are taken', probe: ['headers', { host: 'x' }] },
  { told: /that is not set already/, why: 'names that are taken', probe: ['signature_header', 'host'] },
  {
    told: /a header in lower case/,
    why: 'names that are taken',
    probe: ['compatibility', { like: 'convoy', header: 'host' }],
  },
];
const met = new Set<RegExp>();
/** Texts and values that no schema bounds: places in lists, names of what there is, data of others. */
const UNBOUNDED = ['app', 'cursor', 'data', 'endpoint', 'example', 'source'];

/** Wanted where another field is not given. */
const WANTED: Readonly<Record<string, readonly string[]>> = {
  'POST /replay-jobs': ['why'],
  'POST /v1/apps/{app}/endpoints': ['url'],
  'POST /portal/v1/apps/{app}/endpoints': ['url'],
  'POST /v1/apps/{app}/messages': ['data'],
  'POST /v1/broadcasts': ['data'],
};

type Query = Readonly<Record<string, string>>;
type Ask = (route: string, query: Query, body: unknown) => Promise<{ readonly status: number; readonly body: Json }>;

const PATH = {
  app: 'app_none',
  ep: 'uid:none',
  msg: 'msg_none',
  job: 'job_none',
  name: 'order.made',
  contact: 'con_none',
};
const TOKEN = `tok_${'0'.repeat(32)}`;

const APIS: Readonly<Record<string, () => Ask>> = {
  'delivery-openapi.json': () => {
    const { call, publish } = producerWorld();
    return (route, query, body) => {
      if ((PUBLISH_ROUTES as readonly string[]).includes(route)) return publish('app_none', JSON.stringify(body));
      const app = route === 'PUT /v1/apps/{app}' ? 'uid:none' : 'app_none';
      return call(route as DeliveryRoute, { ...PATH, app, token: TOKEN }, body, query);
    };
  },
  'portal-openapi.json': () => {
    const world = producerWorld();
    const made = world.call('POST /v1/apps', {}, { name: 'Acme' }).then(({ body }) => body.id as string);
    const token = made.then(
      async app => (await world.call('POST /v1/apps/{app}/portal-tokens', { app }, {})).body.token,
    );
    return async (at, query, body) => {
      const route = PORTAL_ROUTES.find(each => publicRoute(each) === at);
      if (route === undefined) throw new Error(`no route ${at}`);
      const { ports, rules } = world;
      const asked = {
        path: { ...PATH, app: await made },
        query,
        body: body === undefined ? undefined : JSON.stringify(body),
      };
      const reply = await answerPortal({
        ...{ route, ports, rules, ...asked },
        ...{ authorization: `Bearer ${await token}`, mayCall: () => true },
      });
      return { status: reply.status, body: reply.body === '' ? undefined : JSON.parse(reply.body) };
    };
  },
  'openapi.json': () => {
    const world = new MemoryWorld({ sources: ['shop', 'pay'] });
    const { ports } = new StatusApi(world, new ApiDocument());
    const rules = { ...world.rules, sources: world.sources, replaysPerSecond: 50, sweepSendsPerSecond: 300 };
    return async (route, query, body) => {
      const path = { event_id: 'none', job_id: 'rj-none', source: 'pay' };
      const request = {
        route: route as ApiRoute,
        path,
        query,
        body: body === undefined ? undefined : JSON.stringify(body),
        caller: 'test',
      };
      const reply = await answerApi(request, ports, rules);
      return { status: reply.status, body: JSON.parse(reply.body) };
    };
  },
};

type Answer = Awaited<ReturnType<Ask>>;
const detailsOf = ({ body }: Answer): readonly { path: string; allowed: string }[] => body?.details ?? [];
const pathsOf = (reply: Answer): readonly string[] => detailsOf(reply).map(({ path }) => path);

/** What the code allows in place of what the field has; empty: it takes it. */
async function refusals(ask: Ask, field: Asked, value: unknown): Promise<readonly string[]> {
  const { route, least } = field;
  const reply = await ask(
    route,
    field.inQuery ? { [field.name]: String(value) } : {},
    field.inQuery ? least : { ...least, [field.name]: value },
  );
  if (reply.status !== 400 || reply.body.error !== 'invalid_request') return [];
  const details = detailsOf(reply);
  if (details.length > 0)
    return details.flatMap(({ path, allowed }) => (path.split(/[.[]/)[0] === field.name ? [allowed] : []));
  return String(reply.body.detail).startsWith(`${field.name}:`) ? [reply.body.detail] : [];
}

interface Asked {
  readonly route: string;
  readonly name: string;
  readonly schema: Bounds;
  readonly inQuery: boolean;
  /** A body that is right. */
  readonly least: object;
}
/** Each field of each request. */
function fieldsOf(document: ApiDocument): readonly Asked[] {
  return [...document.operations.keys()].flatMap(route => {
    const body = document.bodySchemaOf(route) as Bounds | undefined;
    const { properties = {}, required = [] } = body ?? {};
    const least = Object.fromEntries(required.map(name => [name, sampleOf(properties[name] ?? {})]));
    const inQuery = document.parametersOf(route, 'query') as readonly { name: string; schema: Bounds }[];
    return [
      ...inQuery.map(({ name, schema }) => ({ route, name, schema, inQuery: true, least })),
      ...Object.entries(properties).map(([name, schema]) => ({ route, name, schema, inQuery: false, least })),
    ];
  });
}

/** As the document reads a text of a query. */
const inQuery = ({ type }: Bounds, value: unknown): unknown =>
  type === 'integer' && /^\d+$/.test(String(value)) ? Number(value) : String(value);

const FILES = Object.keys(APIS);
describe.each(FILES)('docs/api/%s', file => {
  const document = new ApiDocument(file);
  const fields = fieldsOf(document);

  it('bounds each field of a request as the code does', async () => {
    const ask = APIS[file]?.() as Ask;
    const wrong: string[] = [];
    for (const field of fields) {
      const extra = STRICTER.flatMap(({ probe }) => (probe?.[0] === field.name ? [probe[1]] : []));
      for (const value of [...probesOf(field.schema), ...extra]) {
        if (field.inQuery && typeof value === 'object') continue;
        const isAllowed = fits(field.schema, field.inQuery ? inQuery(field.schema, value) : value);
        const told = await refusals(ask, field, value);
        const shown = `${field.route} ${field.name} ${JSON.stringify(value).slice(0, 80)}`;
        if (!isAllowed && told.length === 0) wrong.push(`${shown}: the document refuses it, the code does not`);
        if (!isAllowed) continue;
        for (const each of told) {
          const known = STRICTER.find(it => it.told.test(each));
          if (known) met.add(known.told);
          else wrong.push(`${shown}: the document allows it, the code allows only ${each}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('wants what the code wants, and names every field', async () => {
    const ask = APIS[file]?.() as Ask;
    for (const [route, { requestBody }] of document.operations) {
      if (requestBody === undefined) continue;
      const { properties = {}, required = [] } = document.bodySchemaOf(route) as Bounds;
      const least = Object.fromEntries(required.map(name => [name, sampleOf(properties[name] ?? {})]));
      for (const name of required) {
        const { [name]: _, ...rest } = least;
        expect(pathsOf(await ask(route, {}, rest)), `${route} without ${name}`).toContain(name);
      }
      const told = pathsOf(await ask(route, {}, least)).filter(name => name in properties && !required.includes(name));
      expect(told, route).toEqual(WANTED[route] ?? []);
      expect(pathsOf(await ask(route, {}, { ...least, colour: 1 })), `${route} colour`).toContain('colour');
    }
  });

  it('leaves unbounded what is known to be', () => {
    const isOpen = ({ type, enum: values, pattern, anyOf }: Bounds): boolean =>
      (type === undefined || type === 'string') && values === undefined && pattern === undefined && anyOf === undefined;
    const open = fields.filter(({ schema }) => isOpen(schema)).map(({ name }) => name);
    expect(UNBOUNDED).toEqual(expect.arrayContaining(open));
  });
});

it('refuses beyond its documents only what is said above', () => {
  expect(STRICTER.map(({ told }) => told).filter(told => !met.has(told))).toEqual([]);
});
