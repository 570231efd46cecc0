import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { defineGateway } from '#core/config/gateway-config.ts';
import { ConfigError, resolveDeployment } from '#core/config/resolve-config.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { secretName } from '#core/names.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { template } from '#providers/_template.ts';
import { PROVIDERS } from '#providers/index.ts';
import { ProviderWorld } from './provider-world.ts';

const SECRET = 'secret-of-a-provider-of-our-own';

/** A made-up provider with a little of everything: a list of signatures, a signed id, batches, an answer of its own. */
const inline: ProviderSpec = {
  id: 'till',
  title: 'The tills of our shops',
  docs: 'https://docs.example.com/tills',
  checkedOn: '2026-11-21',
  strength: 'signed',
  verify: [
    {
      id: 'till',
      alg: 'hmac-sha512',
      sig: { from: 'header:x-till-signature', parse: { item: ';', kv: '=', key: 's', single: ['at'] } },
      encoding: 'base64url',
      message: '{header:x-till-id}|{ts}|{body}',
      time: { from: 'sig:at', unit: 'ms', past: 600, future: 60, signed: true },
    },
  ],
  identity: {
    items: 'receipts[]',
    key: [['root:shop', 'json:number']],
    type: ['json:kind'],
    time: { from: 'json:printed', unit: 'iso8601' },
  },
  ack: { status: 202, contentType: 'text/plain', body: 'thanks', rejectStatus: 403, deadlineMs: 5_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['x-till-signature'],
  keepHeaders: ['x-till-id'],
  retries: 'Every minute until it is answered.',
  setup: 'Ask the till.',
};

/** What a source of this configuration is, once it went through the bundle: data and nothing else. */
function bakedSource(
  provider: string | ProviderSpec,
  providers: Readonly<Record<string, ProviderSpec>>,
): ResolvedSource {
  const config = defineGateway({ sources: { shops: { provider } }, environments: { prod: {} } });
  const { config: resolved } = resolveDeployment(config, 'prod', providers);
  const [source] = JSON.parse(JSON.stringify(resolved.sources)) as ResolvedSource[];
  if (!source) throw new Error('the configuration has a source');
  return source;
}

const receipts = (...numbers: number[]) =>
  JSON.stringify({
    shop: 'b1',
    receipts: numbers.map(number => ({ number, kind: 'sale', printed: '2026-01-05T00:00:00Z' })),
  });

describe('a provider written into gateway.config.ts', () => {
  it('is verified, identified and acknowledged like any other, end to end', async () => {
    const source = bakedSource(inline, PROVIDERS);
    expect(source).toMatchObject({ id: 'shops', paths: ['/webhooks/shops'] });
    const world = new ProviderWorld(source.spec, { secret: SECRET });
    const at = world.world.clock.now();
    const body = receipts(1, 2);
    const mac = createHmac('sha512', SECRET).update(`till-7|${at}|${body}`).digest('base64url');
    const headers = {
      'content-type': 'application/json',
      'x-till-id': 'till-7',
      'x-till-signature': `at=${at};s=AAAA;s=${mac}`,
    };
    expect(await world.post({ headers, body })).toEqual({
      status: 202,
      headers: { 'content-type': 'text/plain' },
      body: 'thanks',
    });
    await world.settle();
    expect(world.events().map(item => [item.eventType, item.status])).toEqual([
      ['sale', 'completed'],
      ['sale', 'completed'],
    ]);
    expect((await world.post(world.sign(receipts(2, 3), SECRET))).status).toBe(202);
    await world.settle();
    expect(world.events()).toHaveLength(3);
    expect((await world.post({ headers, body: receipts(1) })).status).toBe(403);
    expect((await world.post({ headers: { ...headers, 'x-till-id': 'till-8' }, body })).status).toBe(403);
  });

  it('has a secret of its own under the name of the source', () => {
    const config = defineGateway({ sources: { shops: { provider: inline } }, environments: { prod: {} } });
    const { sources, config: resolved } = resolveDeployment(config, 'prod', PROVIDERS);
    expect(sources).toMatchObject([{ needsSecret: true }]);
    expect(secretName(resolved, 'shops')).toBe('holdfast/prod/shops');
  });

  it.each([
    ['a key that no spec has', { ...inline, verfy: [] }, /verfy.*did you mean verify/s],
    ['a window over an unsigned time', unsignedTime(), /not part of the signed bytes/],
    ['no message', { ...inline, verify: [{ ...inline.verify[0], message: undefined }] }, /message/],
  ])('is refused at synth when it has %s', (_fault, spec, message) => {
    const config = defineGateway({
      sources: { shops: { provider: spec as unknown as ProviderSpec } },
      environments: { prod: {} },
    });
    expect(() => resolveDeployment(config, 'prod', PROVIDERS)).toThrow(ConfigError);
    expect(() => resolveDeployment(config, 'prod', PROVIDERS)).toThrow(message);
  });
});

function unsignedTime(): ProviderSpec {
  const scheme = { ...inline.verify[0], message: '{body}' } as ProviderSpec['verify'][number];
  return { ...inline, verify: [scheme] };
}

describe('a provider in a file of its own', () => {
  it('is found by its id and accepted end to end', async () => {
    const source = bakedSource('acme', { ...PROVIDERS, acme: template });
    const world = new ProviderWorld(source.spec, { secret: SECRET });
    const seconds = String(world.world.clock.now() / 1_000);
    const body = '{"id":"a-1","type":"thing.made","created_at":"2026-01-05T00:00:00Z"}';
    const mac = createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest('hex');
    const headers = { 'x-acme-signature': `sha256=${mac}`, 'x-acme-timestamp': seconds };
    expect(await world.post({ headers, body })).toMatchObject({
      status: 200,
      body: '{"status":"accepted","event_id":"a-1"}',
    });
    await world.settle();
    expect(world.events()).toMatchObject([
      { pk: 'default#a-1', provider: 'acme', eventType: 'thing.made', status: 'completed', eventAt: 1_767_571_200_000 },
    ]);
  });

  it('is unknown while it is not registered', () => {
    expect(() => bakedSource('acme', PROVIDERS)).toThrow(ConfigError);
  });
});
