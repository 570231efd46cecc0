/** Claims: the runs of a night are one pass over all records; one that a night is too short for is told, and goes on. */
import { expect, it } from 'vitest';
import type { EventStore } from '#core/inbound/ports.ts';
import { type AuditPorts, auditOn } from '#core/inbound/watch/audit-records.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { EVENTS, MemoryWorld } from '#test/kit/memory-world.ts';

const PAGES = 6;

/** A table of this many pages, each of which takes a run's time. */
function makeAudit() {
  const world = new MemoryWorld();
  const { clock, telemetry } = world;
  let scans = 0;
  const scan: EventStore['scan'] = async cursor => {
    scans += 1;
    await clock.advanceBy(14 * MINUTE_MS);
    const next = Number(cursor ?? 0) + 1;
    return next === PAGES ? { items: [] } : { items: [], cursor: String(next) };
  };
  const control = new MemoryControlStore(world.database, EVENTS);
  const ports = { store: { scan }, control, clock, telemetry } as unknown as AuditPorts;
  const run = async (): Promise<number> => {
    const before = scans;
    await auditOn(clock.now() + 15 * MINUTE_MS, ports, world.rules);
    return scans - before;
  };
  return {
    world,
    clock,
    run,
    ages: () => telemetry.measures.filter(it => it.metric === 'LedgerPassAge').map(it => it.value),
  };
}

it('goes on in the runs of a night, then rests until the next one', async () => {
  const { clock, run } = makeAudit();
  const runs: number[] = [];
  while (runs.length < 12 && runs.at(-1) !== 0) runs.push(await run());
  expect(runs.reduce((a, b) => a + b)).toBeGreaterThanOrEqual(PAGES);
  expect(runs.at(-1)).toBe(0);
  await clock.advanceBy(11 * HOUR_MS);
  expect(await run()).toBe(0);
  await clock.advanceBy(2 * HOUR_MS);
  expect(await run()).toBeGreaterThan(0);
});

it('says that a pass takes more than a night, and nothing while it does not', async () => {
  const { clock, run, ages } = makeAudit();
  await run();
  expect(ages()).toEqual([]);
  await clock.advanceBy(24 * HOUR_MS);
  await run();
  await clock.advanceBy(24 * HOUR_MS);
  await run();
  expect(ages().length).toBeGreaterThan(0);
  expect(Math.max(...ages())).toBeGreaterThan((25 * HOUR_MS) / 1_000);
});
