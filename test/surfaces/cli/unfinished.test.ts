/** `holdfast status` counts what is not finished also where the sweeper has not come to it, by reads that have a bound. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { FAR } from '#core/inbound/protocol/event-writes.ts';
import { DEFAULT_RETRY } from '#core/retry/backoff.ts';
import { HOUR_MS, MINUTE_MS, toHour } from '#core/time.ts';
import type { Gateway } from '#operator/gateway.ts';
import { makeEventItem } from '#test/adapters/contracts/event-item-fixture.ts';
import { handlerThat } from '../../proof/journeys/support/handlers.ts';
import { CliWorld } from './cli-world.ts';

let cli: CliWorld;
beforeEach(() => {
  cli = new CliWorld();
  cli.world.start();
  cli.world.mapping.disable();
});
afterEach(() => cli.world.stop());

async function unfinished(gateway: Partial<Gateway> = {}): Promise<unknown> {
  const { value } = await cli.json(['status'], { gateway });
  return (value as { unfinished: unknown }).unfinished;
}

/** Open events of the source `pay`, as ingest leaves them, 500 a second. */
async function arrive(count: number, more: Partial<EventItem> = {}): Promise<void> {
  for (let n = 0; n < count; n++) {
    if (n % 500 === 0) await cli.world.clock.advanceBy(1_000);
    const [receivedAt, key] = [cli.world.clock.now() + n, `${cli.world.clock.now()}-${n}`];
    const place = { timelineHour: `pay#${toHour(receivedAt)}`, timelineAt: `${receivedAt}#${key}` };
    await cli.gateway.store.insert(makeEventItem('pay', key, { receivedAt, ...place, ...more }));
  }
  await cli.world.clock.advanceBy(5_000);
}

it('counts each event once, before and after the sweeper came to it', async () => {
  const received = new Date(cli.world.clock.now()).toISOString();
  for (const id of ['good-1', 'good-2']) await cli.world.post({ id, source: 'shop' });
  const two = { count: 2, capped: false, estimated: false, oldest_received_at: received };
  await cli.world.clock.advanceBy(1_000);
  expect(await unfinished()).toEqual(two);
  await cli.world.clock.advanceBy(5 * MINUTE_MS);
  expect(cli.world.item('good-1', 'shop')?.watchAt).toBeDefined();
  expect(await unfinished()).toEqual(two);
  await cli.world.post({ id: 'good-3', source: 'shop' });
  await arrive(1, { status: 'processing', watchShard: 'pay#0', watchAt: cli.world.clock.now() + 60_000 });
  expect(await unfinished()).toEqual({ ...two, count: 4 });
});

it('counts what waits behind a pause of a person: it is not finished, however far away its time is', async () => {
  await cli.world.clock.advanceBy(HOUR_MS);
  const receivedAt = cli.world.clock.now() - 45 * MINUTE_MS;
  const place = { timelineHour: `pay#${toHour(receivedAt)}`, timelineAt: `${receivedAt}#paused` };
  const parked = { status: 'failed', receivedAt, watchShard: 'pay#0', watchAt: FAR, ...place } as const;
  await cli.gateway.store.insert(makeEventItem('pay', 'paused', parked));
  await cli.world.clock.advanceBy(5_000);
  const oldest = new Date(receivedAt).toISOString();
  expect(await unfinished()).toEqual({ count: 1, capped: false, estimated: false, oldest_received_at: oldest });
});

it('estimates a flood from a sample, and says so', async () => {
  await arrive(2_200);
  const { store } = cli.gateway;
  let read = 0;
  const counting = new Proxy(store, {
    get: (it, name) => {
      if (name !== 'getMany') return (Reflect.get(it, name) as () => unknown).bind(it);
      return (...asked: Parameters<typeof store.getMany>) => {
        read += asked[0].length;
        return store.getMany(...asked);
      };
    },
  });
  const { stdout } = await cli.run(['status'], { gateway: { store: counting } });
  // Of so busy an hour only the newest are read.
  expect(stdout).toMatch(/in progress +over (?:500|1000) events, the oldest received \d+ s ago/);
  expect(read).toBeLessThanOrEqual(20);
});

it('does not say "over 0" where the newest of very many arrivals are all finished', async () => {
  await arrive(2_600, { status: 'completed', completedAt: cli.world.clock.now() });
  const { stdout } = await cli.run(['status']);
  expect(stdout).toMatch(/in progress +none among the newest arrivals/);
});

it('status shows an open breaker, what waits for it, and when it is asked again', async () => {
  const cli = new CliWorld({ retry: DEFAULT_RETRY, handlers: handlerThat(() => Promise.reject(new Error('away'))) });
  cli.world.start();
  for (let n = 0; n < 60; n++) await cli.world.post({ id: `evt-${n}`, source: 'shop' });
  await cli.world.clock.advanceBy(90_000);
  const { stdout } = await cli.run(['status']);
  expect(stdout).toMatch(/on hold +\*:\* has kept failing since \d+ s ago; 60 events wait; next try (?:now|in \d+ s)/);
  const { value } = await cli.json(['status']);
  expect(value).toMatchObject({ open_breakers: [{ handler: '*:*', waiting: 60, estimated: false }] });
  const [{ open_since }] = (value as { open_breakers: { open_since: string }[] }).open_breakers as [
    { open_since: string },
  ];
  // Of the ninety seconds since the first event; the breaker opens after twenty attempts.
  const openForMs = cli.world.clock.now() - Date.parse(open_since);
  expect(openForMs).toBeGreaterThan(60_000);
  expect(openForMs).toBeLessThan(95_000);
  cli.world.stop();
});
