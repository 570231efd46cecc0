/** GitHub: failed deliveries are asked for again through its own API, and fetched where that did not help either. */
import { generateKeyPairSync, verify } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { githubDeliveries } from '#adapters/provider-apis/github-api.ts';
import type { DeliveryApi } from '#core/inbound/reconcile/delivery-api.ts';
import { HOUR_MS, MINUTE_MS, toIso } from '#core/time.ts';
import { github } from '#providers/github.ts';
import { API_KEY, type GithubDelivery, githubList } from '#test/kit/samples/provider-lists.ts';
import { PROVIDER_URL, ProviderServer } from '#test/kit/servers/provider-server.ts';
import { GapWorld } from './gap-world.ts';

const HOOK = 'repos/acme/shop/hooks/12345';
const BIG = 9_007_199_254_740_993_000n;

let server: ProviderServer;
beforeAll(async () => {
  server = await ProviderServer.start();
});
afterAll(() => server.stop());

let gap: GapWorld;
let api: DeliveryApi;
let deliveries: GithubDelivery[];
let redelivered: string[];
let onRedeliver: (delivery: GithubDelivery) => void;
const options = () => ({
  baseUrl: PROVIDER_URL,
  credential: { get: async () => API_KEY, forget: () => undefined },
  agent: server.agent,
  callsPerSecond: 10_000,
});

beforeEach(() => {
  gap = new GapWorld(github);
  server.calls.length = 0;
  redelivered = [];
  onRedeliver = () => undefined;
  deliveries = Array.from({ length: 6 }, (_, n) => delivery(n, { status: n === 2 ? 'Service Unavailable' : 'OK' }));
  server.answer = githubList(
    HOOK,
    () => deliveries,
    it => {
      redelivered.push(it.guid);
      onRedeliver(it);
    },
    4,
  );
  api = githubDeliveries(HOOK, options());
});

function delivery(n: number, more: Partial<GithubDelivery> = {}): GithubDelivery {
  return {
    // Above 2^53, and so close to each other that as numbers they would be one.
    id: String(BIG + BigInt(n)),
    guid: `58474f00-b361-11eb-836d-0e4f3503cc0${n}`,
    delivered_at: toIso(gap.now - 2 * HOUR_MS + n * MINUTE_MS),
    event: 'issues',
    action: 'opened',
    status: 'OK',
    status_code: 200,
    payload: { action: 'opened', issue: { number: n } },
    ...more,
  };
}

async function deliver(it: GithubDelivery): Promise<void> {
  const headers = { 'x-github-delivery': it.guid, 'x-github-event': it.event };
  expect(await gap.deliver(JSON.stringify(it.payload), headers)).toBe(200);
}

describe('a delivery of GitHub that failed', () => {
  beforeEach(async () => {
    for (const it of deliveries) if (it.status === 'OK') await deliver(it);
  });

  it('is asked for again, and comes through the front door under its own id', async () => {
    let arrived: Promise<void> | undefined;
    onRedeliver = it => {
      arrived = deliver(it);
    };
    expect(await gap.run(api)).toMatchObject({ end: 'finished', pages: 2, listed: 6, redelivered: 1, healed: 0 });
    await arrived;
    expect(redelivered).toEqual([deliveries[2]?.guid]);
    expect(gap.world.item(deliveries[2]?.guid ?? '', 'github')).toMatchObject({ eventType: 'issues.opened' });
    expect(await gap.run(api)).toMatchObject({ end: 'finished', gaps: [] });
    expect(redelivered).toHaveLength(1);
  });

  it('is fetched and let in, marked, when its redelivery failed as well', async () => {
    onRedeliver = it => {
      const at = toIso(gap.now);
      deliveries.push({ ...it, id: String(BIG + 90n), redelivery: true, delivered_at: at, status: 'Bad Gateway' });
    };
    expect(await gap.run(api)).toMatchObject({ redelivered: 1, healed: 0 });
    // Still on its way, for all we know.
    expect(await gap.run(api)).toMatchObject({ gaps: [], redelivered: 0, healed: 0 });
    await gap.world.clock.advanceBy(HOUR_MS);
    expect(await gap.run(api)).toMatchObject({ redelivered: 0, healed: 1, lost: [] });
    const item = gap.world.item(deliveries[2]?.guid ?? '', 'github');
    expect(item).toMatchObject({ reconciled: true, eventType: 'issues.opened' });
    expect(server.calls.map(call => call.path)).toContain(`/${HOOK}/deliveries/${BIG + 90n}`);
  });

  it('is fetched where the credential may not ask for a redelivery', async () => {
    const list = server.answer;
    server.answer = call => (call.method === 'POST' ? { status: 403 } : list(call));
    expect(await gap.run(api)).toMatchObject({ redelivered: 0, healed: 1 });
  });

  it('is named as lost when GitHub does not have it any more', async () => {
    const list = server.answer;
    server.answer = call => (call.path.endsWith('deliveries') ? list(call) : { status: 404 });
    const guid = deliveries[2]?.guid;
    expect(await gap.run(api)).toMatchObject({ end: 'finished', healed: 0, lost: [guid] });
    expect(gap.world.telemetry.lines.at(-1)?.line).toMatchObject({ lost: [guid] });
  });

  it('is not recorded when another one is answered in its place', async () => {
    const list = server.answer;
    server.answer = call => {
      if (call.method === 'POST') return { status: 403 };
      return list(call.path.endsWith('deliveries') ? call : { ...call, path: `/${HOOK}/deliveries/${BIG + 1n}` });
    };
    expect(await gap.run(api)).toMatchObject({ healed: 0, lost: [deliveries[2]?.guid] });
    expect(gap.world.items()).toHaveLength(5);
  });
});

describe('the list of GitHub', () => {
  it('ends at the window, however long it goes on', async () => {
    deliveries = Array.from({ length: 9 }, (_, n) =>
      delivery(n, { delivered_at: toIso(gap.now - (n + 1) * 20 * HOUR_MS) }),
    );
    const report = await gap.run(api, { lookbackMs: 30 * HOUR_MS });
    expect(report).toMatchObject({ end: 'finished', pages: 2, redelivered: 1 });
  });

  it('is asked only at its own address: the link of an answer gives no more than a cursor', async () => {
    const list = server.answer;
    server.answer = call => {
      const answer = list(call);
      const link = answer.headers?.['link']?.replace(PROVIDER_URL, 'https://sandbox.plaid.com');
      return link === undefined ? answer : { ...answer, headers: { link } };
    };
    expect(await gap.run(api)).toMatchObject({ end: 'finished', pages: 2 });
    expect(new Set(server.calls.map(call => call.headers['host']))).toEqual(new Set(['keys.example.com']));
  });

  it('leaves out the ping, which is answered and never stored', async () => {
    deliveries = [delivery(0, { event: 'ping', action: null })];
    expect(await gap.run(api)).toMatchObject({ end: 'finished', gaps: [] });
  });

  it('takes a rate limit, which GitHub answers as 403, for a rate limit', async () => {
    const reset = String(Math.ceil(Date.now() / 1_000) + 7_200);
    server.answer = () => ({ status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } });
    expect(await gap.run(api)).toMatchObject({ end: 'busy', pages: 0 });
    server.answer = () => ({ status: 403 });
    expect(await gap.run(api)).toMatchObject({ end: 'refused' });
  });

  it('of an App is asked for with a token signed by its key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const pem = privateKey.export({ type: 'pkcs1', format: 'pem' });
    const credential = { get: async () => JSON.stringify({ appId: '4711', privateKey: pem }), forget: () => undefined };
    server.answer = () => ({ body: '[]' });
    const app = githubDeliveries('app', { ...options(), credential });
    expect(await app.list({ from: 0, to: 1 }, undefined)).toEqual({ kind: 'answered', value: { deliveries: [] } });
    expect(server.calls[0]?.path).toBe('/app/hook/deliveries');
    const [header, claims, signature] = String(server.calls[0]?.headers['authorization'])
      .replace('Bearer ', '')
      .split('.');
    const signed = verify(
      'RSA-SHA256',
      Buffer.from(`${header}.${claims}`),
      publicKey,
      Buffer.from(signature ?? '', 'base64url'),
    );
    expect(signed).toBe(true);
    const { iss, iat, exp } = JSON.parse(Buffer.from(claims ?? '', 'base64url').toString()) as Record<string, number>;
    expect([iss, (exp ?? 0) - (iat ?? 0)]).toEqual(['4711', 600]);
    expect(iat).toBeLessThan(Date.now() / 1_000);
  });
});
