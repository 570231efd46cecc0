/**
 * A day of forged traffic on every provider whose keys are fetched, in virtual time: forged certificates and key ids,
 * known ones with a wrong signature, addresses that do not answer. Genuine requests are verified on warm and on cold
 * functions, and no answer is a 5xx, which is what wakes people. With HOLDFAST_LONG=1 whole days; else minutes of them.
 */
import { createPublicKey } from 'node:crypto';
import { type ResolveFnOutput, registerHooks } from 'node:module';
import { afterAll, describe, expect, it } from 'vitest';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import type { CappedAnswer, CappedCall } from '#adapters/http/fetch-capped.ts';
import { CachedKeyFetcher } from '#adapters/http/key-fetcher.ts';
import { systemAddresses } from '#adapters/system.ts';
import { given } from '#core/given.ts';
import { authenticateRequest } from '#core/inbound/ingest/authenticate-request.ts';
import type { IngestPorts } from '#core/inbound/ingest/ingest-ports.ts';
import { keyPlaces } from '#core/inbound/ingest/key-places.ts';
import type { Jwk } from '#core/ports.ts';
import type { ProviderSpec, Scheme } from '#core/provider/provider-spec.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import { PROVIDERS } from '#providers/index.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { resolvedSource } from '#test/kit/resolved-source.ts';
import { type Genuine, genuineRequest, NOW_MS } from '#test/providers/genuine-request.ts';

const LONG = isLongRun();
const FUNCTIONS = 4;
/** A function is replaced by a cold one this often, each in its turn. */
const LIFE_MS = LONG ? 60 * MINUTE_MS : MINUTE_MS;

/** Vitest tells its main process of each `import()`, of what is loaded, too: tens of thousands here, 40 % of all CPU. */
const known = new Map<string, ResolveFnOutput>();
const hooks = registerHooks({
  resolve(specifier, context, next) {
    const key = `${context.parentURL} ${specifier}`;
    const found = known.get(key) ?? { ...next(specifier, context), shortCircuit: true };
    known.set(key, found);
    return found;
  },
});
afterAll(() => hooks.deregister());

const fetchesKeys = ({ code, key }: Scheme): boolean =>
  code === 'sns' || ['x509Url', 'jwksUrl', 'plaid'].includes(key?.provider ?? '');
const CASES = Object.values(PROVIDERS).flatMap(spec =>
  spec.verify.filter(fetchesKeys).map(scheme => [spec, scheme] as const),
);

const CERTIFICATE = /CERT-1-2-3|pub-key-1|SimpleNotificationService-\w+/g;

/** The request with another place for its key, and the signature as it was. */
function withOtherKey({ request }: Genuine, name: string): RawRequest {
  const body = Buffer.from(request.body).toString('latin1');
  const headers = Object.entries(request.headers).map(([header, value]) => [
    header,
    otherKid(value, name).replace(CERTIFICATE, it =>
      it.startsWith('Simple') ? `SimpleNotificationService-${name}` : `CERT-${name}`,
    ),
  ]);
  const other = body.replace(CERTIFICATE, `SimpleNotificationService-${name}`);
  return { ...request, headers: Object.fromEntries(headers), body: Buffer.from(other, 'latin1') };
}

/** A token (after `Bearer `, or alone) with another key id in its head. */
function otherKid(text: string, kid: string): string {
  const [, before = '', head = '', rest = ''] = /^(.*?)(eyJ[\w-]+)(\.[\w-]+\.[\w-]+)$/.exec(text) ?? [];
  if (head === '') return text;
  const changed = { ...JSON.parse(Buffer.from(head, 'base64url').toString()), kid };
  return `${before}${Buffer.from(JSON.stringify(changed)).toString('base64url')}${rest}`;
}

/** Its own key, another body; a token, which need not cover the body, with another signature. */
const withOtherBody = ({ request }: Genuine): RawRequest => {
  const text = Buffer.from(request.body).toString('latin1');
  const headers = Object.entries(request.headers).map(([name, value]) => [
    name,
    value.replace(
      /(eyJ[\w-]+\.[\w-]+\.)([\w-])/,
      (_, token: string, first: string) => token + (first === 'A' ? 'B' : 'A'),
    ),
  ]);
  return {
    ...request,
    headers: Object.fromEntries(headers),
    body: Buffer.from(text.replace(/"([a-z])/, '"x$1'), 'latin1'),
  };
};

/** What a stranger sends, in turn. */
const FORGERIES: readonly ((genuine: Genuine, n: number) => RawRequest)[] = [
  (it, n) => withOtherKey(it, `forged${n}`),
  it => withOtherKey(it, 'forged'),
  it => withOtherBody(it),
  (it, n) => withOtherKey(it, `down${n % 50}`),
];

/** The provider's side: its own keys, 404 for any other, and some addresses that answer 503. */
function providerSide(published: Jwk) {
  let calls = 0;
  const call = async ({ url, body = '' }: CappedCall): Promise<CappedAnswer> => {
    calls += 1;
    const answer = (status: number, text = ''): CappedAnswer => ({ status, headers: {}, text });
    if (url.includes('webhook_verification_key')) {
      const { key_id } = JSON.parse(body) as { key_id: string };
      return key_id === 'k1'
        ? answer(200, JSON.stringify({ key: { ...published, kid: 'k1' } }))
        : answer(400, '{"error_code":"INVALID_WEBHOOK_VERIFICATION_KEY_ID"}');
    }
    if (/down\d/.test(url)) return answer(503);
    if (/forged/.test(url)) return answer(404);
    if (!/CERT-|\.pem/.test(url)) return answer(200, JSON.stringify({ keys: [{ ...published, kid: 'k1' }] }));
    const pem = createPublicKey({ key: published as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    return answer(200, String(pem));
  };
  return { call, calls: () => calls };
}

interface Tally {
  readonly genuine: { sent: number; verified: number; cold: number };
  readonly forged: Record<number, number>;
  readonly calls: number;
  readonly controlReads: number;
  readonly controlWrites: number;
}

async function day(spec: ProviderSpec, scheme: Scheme, perSecond: number, lastsMs: number): Promise<Tally> {
  let now = NOW_MS;
  const clock = { now: () => now };
  const control = new Map<string, { value: string; version: number }>();
  const cost = { reads: 0, writes: 0 };
  const places = keyPlaces({
    read: async name => {
      cost.reads += 1;
      return control.get(name);
    },
    write: async (name, value, expected) => {
      cost.writes += 1;
      if ((control.get(name)?.version ?? 0) !== expected) return false;
      control.set(name, { value, version: expected + 1 });
      return true;
    },
  });
  const first = genuineRequest(spec, scheme);
  const published = (await first.context.keys?.fetchKey('jwksUrl', '')) as Jwk;
  const provider = providerSide(published);
  const cold = (): CachedKeyFetcher => new CachedKeyFetcher({ clock, places, call: provider.call });
  const functions = Array.from({ length: FUNCTIONS }, cold);
  const source = resolvedSource('default', first.spec, {
    settings: first.context.settings,
    ...given({ publicUrl: first.context.publicUrl }),
    maxBodyBytes: 1e6,
    retry: { attempts: 1, baseSeconds: 1, capSeconds: 1 },
  });
  const ports = {
    secrets: {
      get: async () => ({ kind: 'secret', secret: first.context.secret }),
      refresh: async () => false,
      pair: async () => 'closed',
    },
    telemetry: { count: () => undefined, log: () => undefined, measure: () => undefined },
    crypto: nodeCrypto,
    codec: nodeCodec,
    addresses: systemAddresses,
    clock,
    // What a flood may write down is bounded elsewhere (test/core/inbound/ingest/refused-slots.test.ts).
    refused: { take: () => undefined },
  } as unknown as IngestPorts;
  const ask = async (request: RawRequest, at: number): Promise<number> => {
    const answered = await authenticateRequest(source, request, { ...ports, keys: functions[at]! }, now);
    return answered.kind === 'verified' ? 200 : answered.reply.status;
  };

  const tally = { genuine: { sent: 0, verified: 0, cold: 0 }, forged: {} as Record<number, number> };
  const deliver = async (at: number): Promise<void> => {
    tally.genuine.sent += 1;
    if ((await ask(genuineRequest(spec, scheme, { signedAtMs: now }).request, at)) === 200) tally.genuine.verified += 1;
  };
  // The gateway was in service before: one genuine request has been here.
  await deliver(0);
  const step = SECOND_MS / perSecond;
  let forgedFrom = genuineRequest(spec, scheme, { signedAtMs: now });
  let forgedAt = now;
  /** What a stranger would send again within the minute is made once. */
  let made = new Map<string, RawRequest>();
  const forge = (n: number): RawRequest => {
    const kind = n % FORGERIES.length;
    const name = kind === 0 ? undefined : `${kind} ${kind === 3 ? n % 50 : ''}`;
    const known = name === undefined ? undefined : made.get(name);
    if (known) return known;
    const request = FORGERIES[kind]!(forgedFrom, n);
    if (name !== undefined) made.set(name, request);
    return request;
  };
  let nextCold = now + LIFE_MS / FUNCTIONS;
  let coldAt = 0;
  let genuineAt = now + MINUTE_MS;
  const pending: { readonly at: number; readonly due: number }[] = [];
  for (let n = 0; n * step < lastsMs; n++) {
    now = NOW_MS + n * step;
    // A captured request, as fresh as a stranger can have it.
    if (now - forgedAt > MINUTE_MS) {
      forgedFrom = genuineRequest(spec, scheme, { signedAtMs: now });
      forgedAt = now;
      made = new Map();
    }
    const status = await ask(forge(n), n % FUNCTIONS);
    tally.forged[status] = (tally.forged[status] ?? 0) + 1;
    if (now >= nextCold) {
      functions[coldAt] = cold();
      // Its first genuine request comes when forged ones have used up what unknown keys are allowed.
      pending.push({ at: coldAt, due: now + Math.min(12 * FUNCTIONS * step, LIFE_MS / FUNCTIONS / 2) });
      coldAt = (coldAt + 1) % FUNCTIONS;
      nextCold += LIFE_MS / FUNCTIONS;
    }
    if (pending[0] && now >= pending[0].due) {
      tally.genuine.cold += 1;
      await deliver(pending.shift()!.at);
    }
    if (now >= genuineAt) {
      await deliver((n * 7) % FUNCTIONS);
      genuineAt += MINUTE_MS;
    }
  }
  return { ...tally, calls: provider.calls(), controlReads: cost.reads, controlWrites: cost.writes };
}

describe('forged traffic on a provider whose keys are fetched', () => {
  it('is tried on all of them', () => {
    expect([...new Set(CASES.map(([spec]) => spec.id))]).toEqual(
      expect.arrayContaining(['paypal', 'adobe', 'sns', 'plaid', 'pubsub']),
    );
  });

  for (const [spec, scheme] of CASES) {
    for (const [perSecond, lastsMs] of [
      [1, LONG ? DAY_MS : 10 * MINUTE_MS],
      [10, LONG ? DAY_MS : 2 * MINUTE_MS],
      [100, LONG ? DAY_MS : 30 * SECOND_MS],
    ] as const) {
      it(`${spec.id}, ${scheme.id}: ${perSecond} a second`, { timeout: LONG ? HOUR_MS : 20_000 }, async () => {
        const found = await day(spec, scheme, perSecond, lastsMs);
        if (LONG) console.log(`${spec.id} ${scheme.id} ${perSecond}/s: ${JSON.stringify(found)}`);
        expect(found.genuine.cold).toBeGreaterThan(0);
        expect(found.genuine.verified, JSON.stringify(found)).toBe(found.genuine.sent);
        // No 5xx, so nothing that wakes people; nothing forged was let in.
        expect(
          Object.keys(found.forged)
            .sort()
            .filter(it => it !== '401' && it !== '429'),
        ).toEqual([]);
        // What it costs us beside the requests: a bounded number of calls and reads.
        const halfMinutes = Math.ceil(lastsMs / 30_000) + 1;
        const functionsInAll = FUNCTIONS + Math.ceil((lastsMs / LIFE_MS) * FUNCTIONS);
        expect(found.calls).toBeLessThanOrEqual((halfMinutes * FUNCTIONS + functionsInAll) * 11);
        expect(found.controlReads).toBeLessThanOrEqual(halfMinutes * FUNCTIONS + functionsInAll * 2);
        expect(found.controlWrites).toBeLessThanOrEqual(1);
      });
    }
  }
});
