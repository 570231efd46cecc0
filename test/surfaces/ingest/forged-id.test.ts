import { describe, expect, it } from 'vitest';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { ackOf } from '#core/provider/spec-defaults.ts';
import { HOUR_MS } from '#core/time.ts';
import { PROVIDERS } from '#providers/index.ts';
import { ProviderWorld } from './provider-world.ts';

const SECRET = 'whsec_c2VjcmV0LW9mLXRoZS1zb3VyY2UtMTIzNDU2Nzg=';
const FORGERS = 'whsec_Zm9yZ2Vycy1vd24tc2VjcmV0LTEyMzQ1Njc4OTA=';

/** Providers whose requests one shared secret signs, and whose event id stands in the body or a header. */
const EVENTS: Readonly<Record<string, { readonly body: string; readonly headers?: Readonly<Record<string, string>> }>> =
  {
    stripe: { body: '{"id":"evt_real","type":"invoice.paid","created":1767571200}' },
    github: { body: '{"action":"opened"}', headers: { 'x-github-delivery': 'evt_real', 'x-github-event': 'issues' } },
    shopify: { body: '{"id":1}', headers: { 'x-shopify-webhook-id': 'evt_real', 'x-shopify-topic': 'orders/create' } },
    slack: { body: '{"event_id":"evt_real","type":"event_callback","event":{"type":"message"}}' },
    'standard-webhooks': { body: '{"type":"user.created"}', headers: { 'webhook-id': 'evt_real' } },
    generic: { body: '{"event_id":"evt_real","event_type":"order.paid"}' },
    gitlab: {
      body: '{"object_kind":"push"}',
      headers: { 'idempotency-key': 'evt_real', 'x-gitlab-event': 'Push Hook' },
    },
    calendly: { body: '{"event":"invitee.created","created_at":"2026-01-05T00:00:00Z","payload":{"uri":"u-1"}}' },
  };

describe('regression: 4 a forged request with the id of a real event', () => {
  it.each(Object.keys(EVENTS))('does not keep the real event of %s from being processed', async provider => {
    const { body, headers = {} } = EVENTS[provider] ?? { body: '' };
    const given = { headers: { 'content-type': 'application/json', ...headers } };
    const world = new ProviderWorld(provider, { secret: SECRET, source: { quarantine: true } });
    for (let n = 0; n < 3; n++) {
      const forged = world.sign(body, FORGERS, given);
      expect((await world.post(forged)).status).toBe(ackOf(world.spec).rejectStatus);
      const unsigned = { headers: { ...given.headers, 'x-event-id': 'evt_real' }, body };
      expect((await world.post(unsigned)).status).toBe(ackOf(world.spec).rejectStatus);
    }
    expect(world.world.items()).toEqual([]);
    expect(world.world.main.numbers()).toMatchObject({ visible: 0, delayed: 0 });

    const genuine = await world.post(world.sign(body, SECRET, given));
    expect(genuine.status).toBe(ackOf(world.spec).status);
    expect(genuine.body).not.toContain('already_processed');
    await world.settle();
    expect(world.events().map(item => item.status)).toEqual(['completed']);
    expect(world.world.outside).toHaveLength(1);
    expect(Buffer.from(world.world.outside[0]?.bytes ?? []).toString()).toBe(body);

    // Nor does a forgery after it change anything.
    expect((await world.post(world.sign(body, FORGERS, given))).status).toBe(ackOf(world.spec).rejectStatus);
    await world.settle();
    expect(world.world.outside).toHaveLength(1);
  });

  it('does not pay off in a source of another provider with the same id', async () => {
    const world = new ProviderWorld('stripe', { secret: SECRET });
    const body = EVENTS['stripe']?.body ?? '';
    const asGeneric = new ProviderWorld('generic').sign(body, SECRET);
    expect((await world.post(asGeneric)).status).toBe(401);
    expect((await world.post(world.sign(body, SECRET))).status).toBe(200);
  });
});

describe('regression: 36 a refused request', () => {
  const withRejectBody = Object.values(PROVIDERS).filter((spec: ProviderSpec) => ackOf(spec).rejectBody !== undefined);

  it('leaves a counter with its cause, and tells its sender nothing', async () => {
    const world = new ProviderWorld('stripe', { secret: SECRET });
    const body = EVENTS['stripe']?.body ?? '';
    const answers = [
      await world.post(world.sign(body, FORGERS)),
      await world.post({ headers: {}, body }),
      await world.post({ headers: { 'stripe-signature': 't=abc,v1=00' }, body }),
      await world.post(world.sign(body, SECRET, { nowMs: world.world.clock.now() - HOUR_MS })),
      await world.post(world.sign(body, SECRET, { nowMs: world.world.clock.now() + HOUR_MS })),
    ];
    const [first] = answers;
    expect(first).toMatchObject({ status: 401, headers: { 'content-type': 'application/json' } });
    for (const answer of answers) expect(answer).toEqual(first);
    for (const cause of ['mismatch', 'missing', 'malformed', 'stale', 'future']) expect(world.refusals(cause)).toBe(1);
  });

  it('is answered as its provider demands', () => {
    for (const spec of withRejectBody) expect(ackOf(spec).rejectStatus).toBe(401);
    expect(withRejectBody.map(spec => spec.id)).toContain('xero');
  });
});
