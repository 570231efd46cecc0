/** What becomes of an export, field by field: nobody gets more than before, and what stays behind is named. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passesFilter } from '#core/outbound/fan-out/content-filter.ts';
import type { ContentFilter } from '#core/outbound/protocol/items.ts';
import { planFromConvoy } from '#operator/moving/from-convoy.ts';
import { planFromOutpost } from '#operator/moving/from-outpost.ts';
import { planFromSvix } from '#operator/moving/from-svix.ts';
import type { ImportPlan, PlannedEndpoint, PlanRules } from '#operator/moving/plan.ts';
import { ourFilter } from '#operator/moving/their-filter.ts';

const RULES: PlanRules = {
  headerPrefix: 'x-webhook-',
  target: { ports: [443], ownHosts: [], allowAddresses: [] },
  now: Date.parse('2026-11-22T08:00:00Z'),
};
const WHSEC = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const LETTERS = 'twenty-five-letters-of-it';

const svix = (endpoint: object, application: object = {}): ImportPlan =>
  planFromSvix(
    {
      applications: [
        {
          ...{ id: 'app_1', name: 'Acme', metadata: {}, ...application },
          endpoints: [
            { id: 'ep_1', url: 'https://hooks.acme.com/in', metadata: {}, secret: { key: WHSEC }, ...endpoint },
          ],
        },
      ],
    },
    RULES,
  );
const convoy = (endpoint: object = {}, subscriptions: readonly object[] = [{}], signature: object = {}): ImportPlan =>
  planFromConvoy(
    {
      project: { status: true, data: { uid: 'p', config: { signature } } },
      endpoints: {
        status: true,
        data: {
          content: [
            {
              ...{ uid: 'end_1', owner_id: 'acme', name: 'One', url: 'https://hooks.acme.com/in', status: 'active' },
              ...{ secrets: [{ value: LETTERS }], ...endpoint },
            },
          ],
        },
      },
      subscriptions: subscriptions.map((each, n) => ({
        uid: `sub_${n}`,
        endpoint_metadata: { uid: 'end_1' },
        ...each,
      })),
    },
    RULES,
  );
const outpost = (destination: object = {}, config: object = {}): ImportPlan =>
  planFromOutpost(
    {
      config,
      tenants: {
        models: [
          {
            id: 'acme',
            destinations: [
              {
                ...{ id: 'des_1', type: 'webhook', topics: ['*'], config: { url: 'https://hooks.acme.com/in' } },
                ...{ credentials: { secret: LETTERS }, disabled_at: null, ...destination },
              },
            ],
          },
        ],
      },
    },
    RULES,
  );
const only = (plan: ImportPlan): PlannedEndpoint => {
  const endpoints = plan.applications.flatMap(each => each.endpoints);
  expect(endpoints, JSON.stringify(plan.left)).toHaveLength(1);
  return endpoints[0] as PlannedEndpoint;
};
/** Why the one endpoint stays behind. */
const behind = (plan: ImportPlan): string => {
  expect(plan.applications.flatMap(each => each.endpoints)).toEqual([]);
  return plan.left
    .filter(({ endpoint }) => endpoint)
    .map(({ why }) => why)
    .join('; ');
};
const text = (secret: string): string => `whsec_${Buffer.from(secret).toString('base64')}`;

describe('nobody gets more than before', () => {
  const wanted = fc.oneof(
    fc.constantFrom('*', null, undefined, [], ['*'], {}, 'invoice.paid', 7, [7], [null]),
    fc.array(fc.oneof(fc.constantFrom('invoice.paid', 'a b', 'ü', '', 'x'.repeat(101)), fc.integer()), {
      maxLength: 3,
    }),
  );

  it('a list of types that cannot be said here keeps the endpoint behind, and never becomes every type', () => {
    fc.assert(
      fc.property(wanted, given => {
        const list: readonly unknown[] = Array.isArray(given) ? given : [given ?? '*'];
        const everything = list.includes('*');
        for (const plan of [
          svix({ filterTypes: given }),
          convoy({}, [{ filter_config: { event_types: given } }]),
          outpost({ topics: given }),
        ]) {
          const endpoints = plan.applications.flatMap(each => each.endpoints);
          for (const { body } of endpoints) {
            expect(body.types?.length === 0).toBe(everything);
            if (!everything) expect(body.types).toEqual(given);
          }
          if (endpoints.length === 0) expect(plan.left.some(({ endpoint }) => endpoint)).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    [{ channels: ['a b'] }, 'channels[0]: allowed'],
    [{ channels: 'eu' }, 'its channels are not a list of texts'],
    [{ url: 'http://hooks.acme.com/' }, 'https'],
    [{ url: 'https://10.0.0.1/' }, 'url: '],
    [{ secret: undefined }, 'its secret is not in the file'],
    [{ secret: { key: 'whsk_abc' } }, 'key pair'],
    [{ secret: { key: text('short') } }, 'its secret has 5 bytes; 8 to 128 are taken'],
    [{ transformation: { code: 'x', enabled: true } }, 'no customer code runs here'],
  ])('svix: %j stays behind', (endpoint, why) => {
    expect(behind(svix(endpoint))).toContain(why);
  });

  it.each([
    [{}, [], {}, 'no subscription'],
    [{}, [{ function: 'function transform(x) {}' }], {}, 'a function changes its events'],
    [{}, [{ filters: [{ event_type: 'a', body: { a: 1 } }] }], {}, 'filters by event type'],
    [{}, [{ filter_config: { filter: { headers: { x: 1 } } } }], {}, 'its filter judges headers'],
    [{}, [{ filter_config: { filter: { body: { $or: [] } } } }], {}, 'it uses $or'],
    [{}, [{}], { versions: [{ hash: 'MD5', encoding: 'hex' }] }, 'another'],
    [{ content_type: 'application/x-www-form-urlencoded' }, [{}], {}, 'forms'],
    [{ authentication: { type: 'oauth2', oauth2: {} } }, [{}], {}, 'oauth2'],
    [{ mtls_client_cert: { client_cert: 'x' } }, [{}], {}, 'client certificate'],
    [{ secrets: [{ value: LETTERS, expires_at: '2027-01-01T00:00:00Z' }] }, [{}], {}, 'no secret without an end'],
    [{ secrets: [{ value: LETTERS, deleted_at: '2026-01-01T00:00:00Z' }] }, [{}], {}, 'no secret without an end'],
  ] as const)(
    'convoy: %j with subscriptions %j and signature %j stays behind',
    (endpoint, subscriptions, signature, why) => {
      expect(behind(convoy(endpoint, subscriptions, signature))).toContain(
        why === 'another' ? 'other than SHA256' : why,
      );
    },
  );

  it.each([
    [{ type: 'rabbitmq' }, {}, 'of the type rabbitmq'],
    [{ filter: { topic: 'a' } }, {}, 'it judges topic'],
    [{ filter: { data: { a: { $nin: [1] } } } }, {}, 'it uses $nin'],
    [{ credentials: {} }, {}, 'not in the file'],
    [{}, { DESTINATIONS_WEBHOOK_SIGNATURE_HEADER_TEMPLATE: 'sha={{index .Signatures 0}}' }, 'templates'],
    [{}, { DESTINATIONS_WEBHOOK_SIGNATURE_CONTENT_TEMPLATE: '{{.Timestamp.Unix}}.{{.Body}}' }, 'templates'],
    [{}, { DESTINATIONS_WEBHOOK_SIGNATURE_ALGORITHM: 'hmac-sha1' }, 'hmac-sha256'],
    [{}, { DESTINATIONS_WEBHOOK_SECRET_ENCODING: 'hex' }, 'encoded'],
    [{}, { DESTINATIONS_WEBHOOK_MODE: 'standard', DESTINATIONS_WEBHOOK_HEADER_PREFIX: 'x-acme-' }, 'x-acme-'],
  ])('outpost: %j with %j stays behind', (destination, config, why) => {
    expect(behind(outpost(destination, config))).toContain(why);
  });
});

describe('a filter of theirs', () => {
  const passes = (theirs: object, body: object): boolean =>
    passesFilter(ourFilter(theirs) as ContentFilter, Buffer.from(JSON.stringify(body)));

  it.each([
    [{ amount: 5 }, { amount: 5 }, { amount: 6 }],
    [{ data: { amount: { $gte: 100, $lt: 200 } } }, { data: { amount: 150 } }, { data: { amount: 200 } }],
    [{ 'customer.tier': { $in: ['gold', 'silver'] } }, { customer: { tier: 'gold' } }, { customer: { tier: 'none' } }],
    [{ id: { $startsWith: 'inv_' } }, { id: 'inv_1' }, { id: 'ord_1' }],
    [{ error: { $exist: false } }, { ok: true }, { error: 1 }],
    [{ kind: { $neq: 'test' } }, { kind: 'live' }, { kind: 'test' }],
    [
      { a: 1, b: { c: true } },
      { a: 1, b: { c: true } },
      { a: 1, b: { c: false } },
    ],
  ])('%j passes %j and not %j', (theirs, yes, no) => {
    expect([passes(theirs, yes), passes(theirs, no)]).toEqual([true, false]);
  });

  it('is none where it says nothing', () => {
    expect([ourFilter({}), ourFilter(undefined), ourFilter(null)]).toEqual([undefined, undefined, undefined]);
  });
});

describe('what is carried over', () => {
  it('svix: a secret without its prefix, a rate, and a uid only where ours takes it', () => {
    const endpoint = only(svix({ uid: 'with blank', secret: WHSEC.slice(6), throttleRate: 3 }));
    expect(endpoint).toMatchObject({
      ...{ uid: 'ep_1', secret: WHSEC, body: { rate: { per_second: 3, burst: 3 }, compatibility: { like: 'svix' } } },
    });
    expect(svix({}, { rateLimit: 5 }).left).toMatchObject([{ what: 'application app_1: its rate', endpoint: false }]);
  });

  it('leaves a header behind that the protocol has, and keeps the others', () => {
    const plan = svix({ headers: { headers: { cookie: 'a', 'webhook-id': 'b', 'x-tenant': 'acme' }, sensitive: [] } });
    expect(only(plan).body.headers).toEqual({ 'x-tenant': 'acme' });
    expect(plan.left.map(({ what }) => what)).toEqual([
      'endpoint app_1/ep_1: header cookie',
      'endpoint app_1/ep_1: header webhook-id',
    ]);
    expect(JSON.stringify(plan.left)).not.toContain('"a"');
  });

  it('leaves a header behind that the other system sets itself: one would replace the other', () => {
    const plan = svix({ headers: { headers: { 'Svix-Id': 'mine', 'x-shop': '7' }, sensitive: [] } });
    expect(only(plan).body.headers).toEqual({ 'x-shop': '7' });
    expect(plan.left).toMatchObject([{ what: 'endpoint app_1/ep_1: header Svix-Id', endpoint: false }]);
  });

  it('convoy: one endpoint for each subscription, an application for each owner', () => {
    const plan = convoy({}, [{ filter_config: { event_types: ['a'] } }, { filter_config: { event_types: ['b'] } }]);
    expect(plan.applications).toMatchObject([
      {
        uid: 'acme',
        endpoints: [
          { uid: 'end_1.sub_0', body: { types: ['a'] } },
          { uid: 'end_1.sub_1', body: { types: ['b'] } },
        ],
      },
    ]);
    expect(convoy({ owner_id: '' }).applications).toMatchObject([{ uid: 'end_1', name: 'One' }]);
  });

  it('convoy: an event type whose name we do not take stays behind; * is no type, and no word is said', () => {
    const file = {
      project: {},
      endpoints: {},
      event_types: [{ name: '*' }, { name: 'user created' }, { name: 'a.b' }],
    };
    const plan = planFromConvoy(file, RULES);
    expect(plan.types.map(({ name }) => name)).toEqual(['a.b']);
    expect(plan.left.map(({ what }) => what)).toEqual(['event type user created']);
  });

  it('convoy: header, hash, encoding, rate, timeout, basic authentication, what is closed', () => {
    const endpoint = only(
      convoy(
        {
          ...{
            advanced_signatures: true,
            rate_limit: 120,
            rate_limit_duration: '1m0s',
            http_timeout: '45s',
            status: 'inactive',
          },
          authentication: { type: 'basic_auth', basic_auth: { username: 'u', password: 'p' } },
        },
        [{}],
        {
          header: 'X-Acme-Signature',
          versions: [
            { hash: 'SHA256', encoding: 'hex' },
            { hash: 'SHA512', encoding: 'base64' },
          ],
        },
      ),
    );
    expect(endpoint).toMatchObject({
      disabled: 'it was not active in Convoy',
      secret: text(LETTERS),
      body: {
        compatibility: { like: 'convoy', header: 'x-acme-signature', hash: 'sha512', encoding: 'base64', timed: true },
        ...{ rate: { per_second: 2, burst: 2 }, timeout_seconds: 30, headers: { authorization: 'Basic dTpw' } },
      },
    });
  });

  it('convoy: the secret before goes on until its end in the advanced form, and not in the simple one', () => {
    const secrets = [
      { value: 'the-one-before-that-one-x', expires_at: '2026-11-23T08:00:00Z' },
      { value: LETTERS, expires_at: null },
    ];
    expect(only(convoy({ advanced_signatures: true, secrets })).previous).toEqual({
      ...{ secret: text('the-one-before-that-one-x'), until: '2026-11-23T08:00:00.000Z' },
    });
    expect(only(convoy({ secrets })).previous).toBeUndefined();
    const over = [{ value: 'the-one-before-that-one-x', expires_at: '2026-11-21T08:00:00Z' }, { value: LETTERS }];
    expect(only(convoy({ advanced_signatures: true, secrets: over })).previous).toBeUndefined();
  });

  it('outpost: the older templates, the mode standard, a secret in rotation, what is disabled', () => {
    const older = {
      DESTINATIONS_WEBHOOK_SIGNATURE_CONTENT_TEMPLATE: '{{.Timestamp.Unix}}.{{.Body}}',
      DESTINATIONS_WEBHOOK_SIGNATURE_HEADER_TEMPLATE: 't={{.Timestamp.Unix}},v0={{.Signatures | join ","}}',
    };
    expect(only(outpost({}, older)).body.compatibility).toEqual({
      ...{ like: 'outpost', header: 'x-outpost-signature', encoding: 'hex', timed: true },
    });
    const standard = only(outpost({ credentials: { secret: WHSEC } }, { DESTINATIONS_WEBHOOK_MODE: 'standard' }));
    expect([standard.secret, standard.body.compatibility]).toEqual([WHSEC, undefined]);
    const rotating = {
      secret: LETTERS,
      previous_secret: 'old-old-old',
      previous_secret_invalid_at: '2026-11-23T08:00:00Z',
    };
    const endpoint = only(outpost({ credentials: rotating, disabled_at: '2026-11-01T00:00:00Z', topics: '*' }));
    expect(endpoint).toMatchObject({
      previous: { secret: text('old-old-old') },
      disabled: 'it was disabled in Outpost',
      body: { types: [] },
    });
  });
});

it('says which application is left behind because nothing names it, and takes the others', () => {
  const named = { id: 'app_1', name: 'Acme', endpoints: [] };
  for (const nameless of [
    { name: 'Nameless', endpoints: [] },
    { name: 'Nameless', uid: 'with blank', id: '' },
  ]) {
    const { applications, left } = planFromSvix({ applications: [nameless, named] }, RULES);
    expect(applications.map(({ uid }) => uid)).toEqual(['app_1']);
    expect(JSON.stringify(left)).toMatch(/application Nameless.*neither uid nor id.*export it as the API answers it/);
  }
});

it.each([
  [{ rate_limit: 120 }, 2],
  [{ rate_limit: 120, rate_limit_duration: '30s' }, 4],
  [{ rate_limit: 7_200, rate_limit_duration: '1h0m0s' }, 2],
  [{ rate_limit: 5, rate_limit_duration: 1 }, 5],
  [{ rate_limit: 1, rate_limit_duration: '24h' }, 0.01],
])('Convoy: %j is a rate of %d a second; without a duration it is of a minute', (given, rate) => {
  expect(only(convoy(given)).body).toMatchObject({ rate: { per_second: rate } });
});
