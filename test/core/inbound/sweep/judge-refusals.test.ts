/**
 * A wrong secret is noticed whatever the rate of its source, and a scanner wakes nobody. In virtual time, with the waits of
 * production, through ingest itself, the stores and the sweeper's question of each minute.
 */
import { describe, expect, it } from 'vitest';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { MemoryBlobs } from '#adapters/memory/memory-blobs.ts';
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryPayloadStore } from '#adapters/memory/memory-payload-store.ts';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { systemAddresses, systemIds, systemTimer } from '#adapters/system.ts';
import { acceptReconciled, acceptRequest } from '#core/inbound/ingest/accept-request.ts';
import { RefusedSlots } from '#core/inbound/ingest/refused-slots.ts';
import { DEFAULT_TIMINGS } from '#core/inbound/protocol/timings.ts';
import { refusedFor } from '#core/inbound/sweep/judge-refusals.ts';
import { readRefusedFor } from '#core/inbound/sweep/read-refused.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { signRequest } from '#core/verification/sign-request.ts';
import { EVENTS, MemoryWorld, PAYLOADS, SECRET } from '#test/kit/memory-world.ts';

/** A source in virtual time: `send` is a request of its provider or of a stranger, `ask` the sweeper's question. */
function gateway() {
  const world = new MemoryWorld({ database: { indexLagMs: () => 0 } });
  const [source] = world.sources;
  if (!source) throw new Error('a world has a source');
  const start = world.clock.now();
  let now = start;
  let sent = 0;
  const clock = { now: () => now };
  const found = { kind: 'secret', secret: { current: SECRET } } as const;
  const ports = {
    store: new MemoryEventStore(world.database, EVENTS),
    payloads: new MemoryPayloadStore(world.database, PAYLOADS),
    refused: new RefusedSlots({ next: () => 0 }),
    blobs: new MemoryBlobs(clock),
    queue: { send: async () => undefined },
    secrets: { get: async () => found, refresh: async () => false, pair: async () => 'closed' as const },
    crypto: nodeCrypto,
    codec: nodeCodec,
    addresses: systemAddresses,
    clock,
    ids: systemIds,
    timer: systemTimer,
    telemetry: new MemoryTelemetry(),
  };
  const send = async (secret: string): Promise<number> => {
    sent += 1;
    const created_at = new Date(now).toISOString();
    const body = Buffer.from(JSON.stringify({ event_id: `evt_${sent}`, event_type: 'test', created_at }));
    const headers = { 'content-type': 'application/json' };
    const signed = signRequest(source.spec, { body, headers, secret, nowMs: now, crypto: nodeCrypto });
    const request = { method: 'POST', rawQuery: '', headers: signed.headers, body, sourceIp: '192.0.2.1' };
    return (await acceptRequest(source, request, ports, world.rules)).status;
  };
  /** Reconcile fetches an event from the provider's API that was refused here. */
  const reconcile = async (): Promise<string> => {
    sent += 1;
    const id = `evt_${sent}`;
    const created_at = new Date(now).toISOString();
    const body = Buffer.from(JSON.stringify({ event_id: id, event_type: 'test', created_at }));
    const request = { method: 'POST', rawQuery: '', headers: {}, body, sourceIp: '' };
    return acceptReconciled(source, request, id, ports, world.rules);
  };
  return {
    send,
    reconcile,
    ask: () => readRefusedFor(source.id, ports, DEFAULT_TIMINGS),
    to: async (ms: number) => {
      now = Math.max(now, start + ms);
      if (world.clock.now() < now) await world.clock.advanceTo(now);
    },
  };
}

/** Minutes from the first refused request to the page; undefined: none within `untilMs`. */
async function minutesToPage(everyMs: number, healthyMs: number, untilMs: number): Promise<number | undefined> {
  const { send, ask, to } = gateway();
  for (let ms = 0; ms < healthyMs; ms += everyMs) {
    await to(ms);
    expect(await send(SECRET)).toBe(200);
  }
  let next = healthyMs;
  for (let minute = healthyMs; minute <= healthyMs + untilMs; minute += MINUTE_MS) {
    for (; next < minute; next += everyMs) {
      await to(next);
      expect(await send('another secret')).toBe(401);
    }
    await to(minute);
    if ((await ask()) !== undefined) return (minute - healthyMs) / MINUTE_MS;
  }
  return undefined;
}

describe('a source whose secret is wrong from now on', () => {
  it.each([
    ['1 event a minute', MINUTE_MS, 30 * MINUTE_MS, 12],
    ['10 events a minute', MINUTE_MS / 10, 10 * MINUTE_MS, 12],
    ['1,000 events a minute', MINUTE_MS / 1_000, MINUTE_MS, 12],
    ['2 events an hour', HOUR_MS / 2, 10 * HOUR_MS, 181],
  ])(
    'pages at %s',
    async (_rate, everyMs, healthyMs, within) => {
      const minutes = await minutesToPage(everyMs, healthyMs, 4 * HOUR_MS);
      expect(minutes).toBeDefined();
      expect(minutes).toBeGreaterThanOrEqual(10);
      expect(minutes).toBeLessThanOrEqual(within);
    },
    60_000,
  );

  it.each([
    ['a few', 1],
    ['a page full and more', 3],
    ['more than are looked through', 100],
  ])('is not healthy by what was fetched from the provider, %s: that proves no secret', async (_, each) => {
    const { send, reconcile, ask, to } = gateway();
    for (let n = 0; n < 10; n++) {
      await to(n * MINUTE_MS);
      await send(SECRET);
    }
    for (let n = 10; n < 40; n++) {
      await to(n * MINUTE_MS);
      await send('another secret');
      for (let fetched = 0; fetched < each; fetched++) expect(await reconcile()).toBe('accepted');
    }
    // The last success was 30 minutes ago. Nobody looks further back than is read: then it was before that.
    expect(await ask()).toBeGreaterThanOrEqual(each === 100 ? 20 * MINUTE_MS : 30 * MINUTE_MS);
  });

  it('is noticed where each hour had one event only', async () => {
    const { send, ask, to } = gateway();
    for (let hour = 0; hour < 10; hour++) {
      await to(hour * HOUR_MS);
      await send(SECRET);
    }
    for (let hour = 10; hour < 20; hour++) {
      await to(hour * HOUR_MS);
      await send('another secret');
    }
    expect(await ask()).toBe(10 * HOUR_MS);
  });

  it('is healthy again with its first success', async () => {
    const { send, ask, to } = gateway();
    for (let n = 0; n < 10; n++) {
      await to(n * MINUTE_MS);
      await send(SECRET);
    }
    for (let n = 10; n < 30; n++) {
      await to(n * MINUTE_MS);
      await send('another secret');
    }
    expect(await ask()).toBeGreaterThan(0);
    await send(SECRET);
    await to(31 * MINUTE_MS);
    expect(await ask()).toBeUndefined();
  });
});

describe('10,000 forged requests to a healthy source', () => {
  it.each([
    ['1 event a minute', MINUTE_MS, 2 * HOUR_MS],
    ['2 events an hour', HOUR_MS / 2, 12 * HOUR_MS],
  ])(
    'page nobody at %s',
    async (_rate, everyMs, lastsMs) => {
      const { send, ask, to } = gateway();
      const [begin, end] = [lastsMs / 2, lastsMs];
      const step = (end - begin) / 10_000;
      let nextEvent = 0;
      let nextAsk = 0;
      let asked = 0;
      for (let ms = 0; ms < end; ms += ms < begin ? MINUTE_MS : step) {
        await to(ms);
        if (ms >= nextEvent) {
          nextEvent += everyMs;
          expect(await send(SECRET)).toBe(200);
        }
        if (ms >= begin) expect(await send('forged')).toBe(401);
        if (ms >= nextAsk) {
          nextAsk += MINUTE_MS;
          asked += 1;
          expect(await ask()).toBeUndefined();
        }
      }
      expect(asked).toBeGreaterThan(50);
    },
    60_000,
  );
});

describe('the judgement', () => {
  const judge = (refusedAt: number[], acceptedAt: number[]) => refusedFor({ refusedAt, acceptedAt }, DEFAULT_TIMINGS);

  it('says nothing of a source that never had a success', () => {
    expect(
      judge(
        [1, 2, 3].map(n => n * HOUR_MS),
        [],
      ),
    ).toBeUndefined();
  });

  it('needs three refusals since the last success, and an unusual silence before the newest', () => {
    expect(
      judge(
        [20, 30].map(n => n * MINUTE_MS),
        [0],
      ),
    ).toBeUndefined();
    expect(
      judge(
        [1, 2, 9].map(n => n * MINUTE_MS),
        [0],
      ),
    ).toBeUndefined();
    expect(
      judge(
        [1, 2, 10].map(n => n * MINUTE_MS),
        [0],
      ),
    ).toBe(10 * MINUTE_MS);
  });
});
