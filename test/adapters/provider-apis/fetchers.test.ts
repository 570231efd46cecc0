/** The shipped fetchers against a local server in the provider's place. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { githubFetcher } from '#adapters/provider-apis/github-api.ts';
import { shopifyFetcher } from '#adapters/provider-apis/shopify-api.ts';
import { stripeFetcher } from '#adapters/provider-apis/stripe-api.ts';
import { DependencyError } from '#core/errors.ts';
import type { Fetcher } from '#core/handler/ordering/fetch-latest.ts';
import { livedTime } from '#test/kit/lived-time.ts';
import { PROVIDER_URL, ProviderServer, type ServedAnswer } from '#test/kit/servers/provider-server.ts';

const KEY = 'key_of_the_fetcher_tests';
let server: ProviderServer;
beforeAll(async () => {
  server = await ProviderServer.start();
});
afterAll(() => server.stop());

let keys: string[];
let options: Parameters<typeof stripeFetcher>[1] & { readonly baseUrl: string };
beforeEach(() => {
  server.calls.length = 0;
  keys = [KEY];
  options = {
    baseUrl: PROVIDER_URL,
    credential: { get: async () => keys[0] ?? '', forget: () => void (keys.length > 1 && keys.shift()) },
    agent: server.agent,
    timeoutMs: 1_000,
    maxBytes: 10_000,
    callsPerSecond: 1_000,
  };
});
const signal = new AbortController().signal;
const fetchers: readonly [string, (more?: object) => Fetcher<unknown>, (id: string) => unknown][] = [
  ['Stripe', more => stripeFetcher('invoices', { ...options, ...more }), id => ({ id, status: 'paid' })],
  [
    'GitHub',
    more =>
      githubFetcher(
        id => `/repos/acme/shop/pulls/${id}`,
        { ...options, ...more },
        it => it['number'],
      ),
    id => ({ id: 1, number: Number(id) }),
  ],
  [
    'Shopify',
    more => shopifyFetcher({ type: 'Order', fields: 'updatedAt', apiVersion: '2026-10' }, { ...options, ...more }),
    id => ({ data: { node: { id: `gid://shopify/Order/${id}`, updatedAt: 'now' } } }),
  ],
];

describe.each(fetchers)('the fetcher of %s', (_name, make, bodyOf) => {
  it('finds an object, and says which one was answered', async () => {
    server.answer = () => ({ body: bodyOf('17') });
    expect(await make().fetch('17', signal)).toMatchObject({ kind: 'found', id: '17' });
    // fetchLatest compares: another object than the one asked for is not written.
    expect(await make().fetch('18', signal)).toMatchObject({ kind: 'found', id: expect.stringMatching(/17$/) });
    expect(await make().fetch('18', signal)).not.toMatchObject({ id: '18' });
  });

  it.each<[ServedAnswer, object]>([
    [{ status: 404 }, { kind: 'gone' }],
    [{ status: 410 }, { kind: 'gone' }],
    [
      { status: 429, headers: { 'retry-after': '12' } },
      { kind: 'busy', retryAfterSeconds: 12 },
    ],
    [{ status: 503 }, { kind: 'busy' }],
    [
      { status: 429, headers: { 'retry-after': '99999999' } },
      { kind: 'busy', retryAfterSeconds: 86_400 },
    ],
    [
      { status: 429, headers: { 'retry-after': '0' } },
      { kind: 'busy', retryAfterSeconds: 0 },
    ],
    [{ status: 429, headers: { 'retry-after': '' } }, { kind: 'busy' }],
    [{ status: 401 }, { kind: 'refused', reason: expect.stringContaining('401') }],
    [{ status: 403 }, { kind: 'refused', reason: expect.stringContaining('403') }],
    [
      { status: 301, headers: { location: PROVIDER_URL } },
      { kind: 'refused', reason: expect.stringContaining('301') },
    ],
  ])('gives %o its name', async (answer, wanted) => {
    server.answer = () => answer;
    expect(await make().fetch('17', signal)).toEqual(wanted);
  });

  it.each<[string, ServedAnswer]>([
    ['a 500', { status: 500, body: { error: KEY } }],
    ['no answer', { hang: true }],
    ['something that is not JSON', { body: `<html>${KEY}` }],
    ['something that is not an object', { body: [] }],
    ['an answer larger than allowed', { body: 'x'.repeat(20_000) }],
  ])('throws on %s, so that it is tried again, and tells no credential', async (_what, answer) => {
    server.answer = () => answer;
    const error = await make()
      .fetch('17', signal)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DependencyError);
    expect(`${String(error)} ${String((error as Error).cause)}`).not.toContain(KEY);
  });

  it('takes a credential that was rotated meanwhile', async () => {
    keys = ['old', KEY];
    server.answer = ({ headers }) => (JSON.stringify(headers).includes(KEY) ? { body: bodyOf('17') } : { status: 401 });
    expect(await make().fetch('17', signal)).toMatchObject({ kind: 'found' });
    expect(server.calls).toHaveLength(2);
  });

  it('ends when the attempt ends', async () => {
    server.answer = () => ({ hang: true });
    const lived = livedTime();
    await expect(make({ timeoutMs: 5_000 }).fetch('17', AbortSignal.timeout(50))).rejects.toThrow(DependencyError);
    expect(lived()).toBeLessThan(3_000);
  });

  it('keeps to its pace, and is busy when its turn would come too late', async () => {
    server.answer = () => ({ body: bodyOf('17') });
    const slow = make({ callsPerSecond: 1, timeoutMs: 1_500 });
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 4 }, () => slow.fetch('17', signal)));
    expect(answers.map(it => it.kind)).toEqual(['found', 'found', 'busy', 'busy']);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990);
    expect(server.calls).toHaveLength(2);
  });
});

describe('what is special', () => {
  it('Stripe: a deleted object is gone; the path and the key are as documented', async () => {
    server.answer = () => ({ body: { id: 'cus_1', object: 'customer', deleted: true } });
    expect(await stripeFetcher('customers', options).fetch('cus_1/../../x', signal)).toEqual({ kind: 'gone' });
    expect(server.calls[0]).toMatchObject({
      path: '/v1/customers/cus_1%2F..%2F..%2Fx',
      headers: { authorization: `Bearer ${KEY}` },
    });
  });

  it('GitHub: an id that would lead elsewhere is not asked for', async () => {
    const fetcher = githubFetcher(id => `/repos/${id}`, options);
    expect(await fetcher.fetch('acme/../../user', signal)).toMatchObject({ kind: 'refused' });
    server.answer = () => ({ status: 404 });
    await fetcher.fetch('acme/shop?x=1', signal);
    expect(server.calls.map(call => call.path)).toEqual(['/repos/acme/shop%3Fx%3D1']);
  });

  it('GitHub: a limit with its time of reset is busy until then', async () => {
    const reset = String(Math.ceil(Date.now() / 1_000) + 600);
    server.answer = () => ({ status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } });
    const answer = await githubFetcher(id => `/repos/${id}`, options).fetch('acme', signal);
    expect(answer).toMatchObject({ kind: 'busy', retryAfterSeconds: expect.any(Number) });
    expect(answer.kind === 'busy' && answer.retryAfterSeconds).toBeGreaterThan(590);
  });

  it.each<[string, unknown, object]>([
    ['a node that is not there', { data: { node: null } }, { kind: 'gone' }],
    [
      'a throttled query',
      {
        errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }],
        extensions: { cost: { requestedQueryCost: 752, throttleStatus: { currentlyAvailable: 652, restoreRate: 50 } } },
      },
      { kind: 'busy', retryAfterSeconds: 2 },
    ],
    [
      'a token without the scope',
      { errors: [{ message: 'nope', extensions: { code: 'ACCESS_DENIED' } }] },
      { kind: 'refused', reason: expect.stringContaining('ACCESS_DENIED') },
    ],
  ])('Shopify: %s', async (_name, body, wanted) => {
    server.answer = () => ({ body });
    const fetcher = shopifyFetcher({ type: 'Order', fields: 'updatedAt', apiVersion: '2026-10' }, options);
    expect(await fetcher.fetch('820982911946154508', signal)).toEqual(wanted);
    expect(server.calls[0]).toMatchObject({
      method: 'POST',
      path: '/admin/api/2026-10/graphql.json',
      headers: { 'x-shopify-access-token': KEY },
    });
    expect(JSON.parse(server.calls[0]?.body ?? '')).toMatchObject({
      variables: { id: 'gid://shopify/Order/820982911946154508' },
    });
  });
});
