/** However much there is to look at, a run of tend ends before its function would be killed, and the next one goes on there. */
import { expect, it, vi } from 'vitest';
import { controlKey, JOBS } from '#core/outbound/protocol/keys.ts';
import { readSummary, SUMMARY } from '#core/outbound/tend/summary.ts';
import { MINUTE_MS } from '#core/time.ts';
import { MemoryItemStore } from '#test/kit/memory/memory-item-store.ts';
import { answered, OutboundWorld, type OutboundWorldOptions } from '#test/kit/outbound-world.ts';

const FUNCTION_MS = 55_000;

/** Each call of tend takes `ms`, and nothing else runs. */
function slowWorld(ms: number, given: OutboundWorldOptions = {}): OutboundWorld {
  const way = { there: ms / 2, back: ms / 2 };
  const world = new OutboundWorld({
    processOf: role => (role === 'tend' ? { latencyMs: () => way, clientTimeoutMs: 10 * ms } : {}),
    ...given,
  });
  world.tending = false;
  return world;
}
/** Runs tend once a minute until something is so; answers how often. */
async function runsUntil(world: OutboundWorld, isSo: () => boolean, most: number): Promise<number> {
  let runs = 0;
  while (!isSo() && runs < most) {
    const startedAt = world.clock.now();
    await world.clock.complete(world.tend(), FUNCTION_MS);
    runs += 1;
    await world.clock.advanceBy(MINUTE_MS - (world.clock.now() - startedAt));
  }
  return runs;
}

it('compares 1,200 messages with their deliveries in several runs', async () => {
  const world = slowWorld(300, { publishes: 'job' });
  const app = await world.createApplication();
  await world.createEndpoint(app, () => answered(200));
  for (let n = 0; n < 1_200; n++) await world.clock.complete(world.publish(app, `k${n}`), MINUTE_MS);
  world.jobs.purge();
  await world.clock.advanceBy(20 * MINUTE_MS);
  const runs = await runsUntil(world, () => world.telemetry.total('FanOutLost') === 1_200, 10);
  expect(world.telemetry.total('FanOutLost')).toBe(1_200);
  expect(runs).toBeGreaterThan(1);
  expect(world.telemetry.total('TendRuns')).toBe(runs);
});

it('audits 1,000 endpoints in several runs, and wakes the one whose wake-up was lost', async () => {
  const world = slowWorld(600, { publishes: 'direct' });
  const app = await world.createApplication();
  const other = await world.createApplication();
  for (let n = 0; n < 999; n++) {
    await world.createEndpoint(other, () => answered(200));
    await world.clock.advanceBy(20);
  }
  await world.createEndpoint(app, () => answered(200));
  await world.clock.complete(world.publish(app, 'k'), MINUTE_MS);
  world.fast.purge();
  await world.clock.advanceBy(10 * MINUTE_MS);
  const { pk, sk } = controlKey(SUMMARY);
  const summary = () => readSummary(world.database.get('registry', { pk, sk }) as never);
  const runs = await runsUntil(world, () => summary() !== undefined, 10);
  expect(runs).toBeGreaterThan(1);
  expect(summary()).toMatchObject({ endpoints: 1_000 });
  expect(world.telemetry.total('WakeLost')).toBe(1);
  expect(world.fast.dump()).toHaveLength(1);
});

it('does what else a minute does where a step fails by a bug, and says so', async () => {
  const world = slowWorld(10, { publishes: 'job' });
  const app = await world.createApplication();
  await world.createEndpoint(app, () => answered(200));
  await world.clock.complete(world.publish(app, 'k'), MINUTE_MS);
  world.jobs.purge();
  await world.clock.advanceBy(20 * MINUTE_MS);
  const { query } = MemoryItemStore.prototype;
  const broken = vi.spyOn(MemoryItemStore.prototype, 'query').mockImplementation(async function (
    this: MemoryItemStore,
    ...asked
  ) {
    if (JSON.stringify(asked).includes(`"${JOBS}"`)) throw new RangeError('a bug');
    return query.apply(this, asked);
  });
  await expect(world.clock.complete(world.tend(), FUNCTION_MS)).rejects.toThrow('a bug');
  broken.mockRestore();
  expect(world.telemetry.total('FanOutLost')).toBe(1);
  expect(world.telemetry.total('TendRuns')).toBe(1);
});
