import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MemoryPayloadStore } from '#adapters/memory/memory-payload-store.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { REFUSED_SLOTS, type RefusedItem } from '#core/inbound/protocol/event-item.ts';
import { PAYLOADS } from '../../kit/memory-world.ts';
import { ProviderWorld, type ProviderWorldOptions, SOURCE } from './provider-world.ts';

const SECRET = 'whsec_c2VjcmV0LW9mLXRoZS1zb3VyY2UtMTIzNDU2Nzg=';
const FORGERS = 'whsec_Zm9yZ2Vycy1vd24tc2VjcmV0LTEyMzQ1Njc4OTA=';
const eventOf = (id: string, more = '') => JSON.stringify({ id, type: 'invoice.paid', created: 1_767_571_200, more });

const stripe = (source: Partial<ResolvedSource>, options: ProviderWorldOptions = {}) =>
  new ProviderWorld('stripe', { secret: SECRET, ...options, source });

const refusedItems = (world: ProviderWorld): RefusedItem[] =>
  world.world.database.dump(PAYLOADS).filter(item => String(item['pk']).startsWith('_refused#')) as never;

describe('the quarantine', () => {
  it('keeps cause and time alone where the source does not want the bytes', async () => {
    const world = stripe({ quarantine: false });
    await world.post(world.sign(eventOf('evt_1'), FORGERS));
    const [item] = refusedItems(world);
    expect(item).toMatchObject({ cause: 'mismatch', refusedAt: 1_767_571_200_000 });
    expect(item).not.toHaveProperty('bytes');
    expect(item).not.toHaveProperty('headers');
  });

  it('keeps cause, time, hash, safe headers and the start of the body, for three days', async () => {
    const world = stripe({ quarantine: true });
    const body = eventOf('evt_1', 'x'.repeat(20_000));
    const sent = world.sign(body, FORGERS, {
      headers: { 'content-type': 'application/json', authorization: 'Bearer canary', cookie: 'canary=1' },
    });
    expect((await world.post(sent)).status).toBe(401);
    const [item] = refusedItems(world);
    expect(item).toMatchObject({ cause: 'mismatch', size: body.length, refusedAt: 1_767_571_200_000 });
    expect(item?.headers).toEqual({ 'content-type': 'application/json' });
    expect(inflateRawSync(item?.bytes ?? new Uint8Array()).toString()).toBe(body.slice(0, 16_384));
    expect((item?.expiresAt ?? 0) - 1_767_571_200).toBe(3 * 86_400);
    expect(JSON.stringify(item)).not.toContain('canary');
    expect(JSON.stringify(item)).not.toContain(sent.headers?.['stripe-signature']?.split('v1=')[1]);
  });

  it(`holds the last of ${REFUSED_SLOTS} requests per source and cause, whatever comes`, async () => {
    const world = stripe({ quarantine: true });
    for (let n = 0; n < 300; n++) {
      await world.post({ headers: { 'stripe-signature': 't=1,v1=00' }, body: eventOf(`evt_${n}`) });
      await world.post({ headers: {}, body: eventOf(`evt_${n}`) });
    }
    const items = refusedItems(world);
    expect(items).toHaveLength(2 * REFUSED_SLOTS);
    expect(new Set(items.map(item => item.pk))).toEqual(new Set(['_refused#default']));
    expect(world.world.items()).toEqual([]);
    const store = new MemoryPayloadStore(world.world.database, PAYLOADS);
    expect(await store.listRefused(SOURCE, 'missing')).toHaveLength(REFUSED_SLOTS);
  });

  it('has a key space of its own: the event with the same id and body is recorded and handled', async () => {
    const world = stripe({ quarantine: true });
    await world.post(world.sign(eventOf('evt_1'), FORGERS));
    await world.post(world.sign(eventOf('_refused#default'), FORGERS));
    expect((await world.post(world.sign(eventOf('evt_1'), SECRET))).status).toBe(200);
    expect((await world.post(world.sign(eventOf('_refused#default'), SECRET))).status).toBe(200);
    await world.settle();
    expect(world.events().map(item => item.status)).toEqual(['completed', 'completed']);
    expect(world.events().every(item => item.pk.startsWith('default#'))).toBe(true);
    expect(refusedItems(world)).toHaveLength(2);
    expect(world.world.outside).toHaveLength(2);
  });

  it('changes no answer when it cannot be written', async () => {
    const world = stripe(
      { quarantine: true },
      { planOf: role => call => (role === 'ingest' && call.name === 'payloads.putRefused' ? 'throttled' : undefined) },
    );
    expect((await world.post(world.sign(eventOf('evt_1'), FORGERS))).status).toBe(401);
    expect(world.world.telemetry.total('DependencyError', { dependency: 'dynamodb' })).toBe(1);
    expect((await world.post(world.sign(eventOf('evt_1'), SECRET))).status).toBe(200);
  });
});
