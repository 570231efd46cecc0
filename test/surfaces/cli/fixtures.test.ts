/** Every sample event is one its provider could have sent: signed, verified and identified by the provider's own spec. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { sampleEvent, sampleNames } from '#cli/sample-event.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { identifyRequest } from '#core/verification/identify-request.ts';
import { signRequest } from '#core/verification/sign-request.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { makeSecret } from '#local/make-secret.ts';
import { PROVIDERS } from '#providers/index.ts';

const NOW = new Date('2026-11-21T03:00:00Z');
const URL = 'https://hooks.example.com/webhooks/x';

function requestOf(spec: ProviderSpec, type?: string) {
  const { body, headers } = sampleEvent(spec.id, NOW, type);
  const secret = makeSecret(spec, randomBytes(32));
  const settings = Object.fromEntries(Object.keys(spec.settings ?? {}).map(name => [name, `${name}-value`]));
  const signed = signRequest(spec, {
    body,
    headers,
    secret,
    settings,
    publicUrl: URL,
    nowMs: NOW.getTime(),
    crypto: nodeCrypto,
  });
  const request = {
    method: 'POST',
    rawQuery: signed.rawQuery ?? '',
    headers: signed.headers,
    body: signed.body ?? body,
    sourceIp: '192.0.2.1',
  };
  const context = { secret: { current: secret }, nowMs: NOW.getTime(), publicUrl: URL, settings, crypto: nodeCrypto };
  return { request, context };
}

describe('sample events', () => {
  it('are there for at least ten providers', () => {
    expect(sampleNames().length).toBeGreaterThanOrEqual(10);
    expect(sampleNames().filter(name => !(name in PROVIDERS))).toEqual([]);
  });

  it.each(sampleNames())('of %s verify, and are new events each time', async name => {
    const spec = (PROVIDERS as Readonly<Record<string, ProviderSpec>>)[name] as ProviderSpec;
    const keys: string[] = [];
    for (let n = 0; n < 2; n++) {
      const { request, context } = requestOf(spec);
      const verdict = await verifyRequest(spec, request, context);
      if (verdict.kind !== 'verified') throw new Error(`${name} does not verify: ${verdict.cause}`);
      const identified = identifyRequest(spec, request, { ...context, dedupOnBody: false, verdict });
      if (identified.kind === 'nothing') throw new Error(`${name} is no event`);
      expect(identified.key).toBeDefined();
      expect(identified.eventType).not.toBe('unknown');
      keys.push(identified.key ?? '');
      expect(JSON.stringify(identified)).not.toContain('{{');
      expect(Buffer.from(request.body).toString()).not.toContain('{{');
    }
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('can have another type', () => {
    expect(JSON.parse(sampleEvent('stripe', NOW, 'invoice.paid').body.toString())).toMatchObject({
      type: 'invoice.paid',
      created: 1_795_230_000,
    });
  });

  it('of a provider without one of its own are generic', () => {
    expect(JSON.parse(sampleEvent('nobody', NOW).body.toString())).toMatchObject({ event_type: 'order.created' });
  });
});
