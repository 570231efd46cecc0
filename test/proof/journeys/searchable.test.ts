/**
 * Searchable fields, through the real functions. An item of a field is no part of the protocol: whatever fails, and
 * whenever a process dies, the event is run and completed as it is without one, and its effect happens once.
 */
import { describe, expect, it } from 'vitest';
import { defineHandlers, done } from '#core/handler/handler-contract.ts';
import { HOUR_MS } from '#core/time.ts';
import { type FaultPlan, faultsOf, recordCalls } from '#test/kit/memory/faults.ts';
import { MemoryWorld, PAYLOADS } from '#test/kit/memory-world.ts';
import { faultAt, faultWhile } from './support/fault-at.ts';

const FIELDS = { order: '/data/order', customer: '/data/customer/email' };
const BODY = { data: { order: 1_234, customer: { email: 'ada@example.com' } } };

async function run(plan?: FaultPlan, fails = 0): Promise<{ world: MemoryWorld; runs: () => number }> {
  let runs = 0;
  const world = new MemoryWorld({
    source: { searchable: FIELDS },
    retry: { attempts: 4, baseSeconds: 1, capSeconds: 1 },
    ...(plan ? { planOf: (role: string) => (role === 'process' ? plan : () => undefined) } : {}),
    handlers: () =>
      defineHandlers([
        {
          ...{ source: '*', type: '*' },
          handle: () => {
            runs += 1;
            if (runs <= fails) throw new Error('not yet');
            return Promise.resolve(done());
          },
        },
      ]),
  });
  world.start();
  await world.post({ id: 'evt_1', ...BODY });
  await world.settle();
  world.stop();
  return { world, runs: () => runs };
}

const foundIn = (world: MemoryWorld) =>
  world.database.dump(PAYLOADS).filter(it => String(it['pk']).startsWith('_search#'));

it('writes one small item a field, that names the event by its time and key', async () => {
  const { world } = await run();
  const { timelineAt } = world.item('evt_1') ?? {};
  expect(foundIn(world).map(it => it['sk'])).toEqual([timelineAt, timelineAt]);
  expect(foundIn(world).map(it => String(it['pk']).split('#')[2])).toEqual(
    expect.arrayContaining(['order', 'customer']),
  );
  for (const item of foundIn(world)) expect(JSON.stringify(item).length).toBeLessThan(300);
  expect(JSON.stringify(foundIn(world))).not.toContain('ada');
});

it('writes nothing before the answer: a request whose event was never run has no item', async () => {
  const world = new MemoryWorld({ source: { searchable: FIELDS } });
  await world.post({ id: 'evt_1', ...BODY });
  expect(world.item('evt_1')?.status).toBe('pending');
  expect(foundIn(world)).toEqual([]);
});

it('finds a dead letter, too, and one item of an event that was tried four times', async () => {
  const { world } = await run(undefined, 99);
  expect(world.item('evt_1')?.status).toBe('dead_letter');
  expect(foundIn(world)).toHaveLength(2);
});

it('lives as long as a record may, from the attempt on', async () => {
  const { world } = await run();
  const days = world.rules.deadRetentionDays + 7;
  for (const { expiresAt } of foundIn(world))
    expect(Math.abs(Number(expiresAt) - (world.clock.now() / 1_000 + days * 86_400))).toBeLessThan(3_600);
});

describe('with the store of items away', () => {
  it.each(['error_before', 'error_after', 'stall', 'crash_before', 'crash_after'] as const)(
    'completes the event once (%s at every put)',
    async fault => {
      let seen = 0;
      // A process that dies at each put would never get further.
      const plan = faultWhile('search.put', fault as never, () => ++seen <= 2);
      const { world } = await run(plan);
      await world.clock.advanceBy(600_000);
      expect(world.item('evt_1')?.status).toBe('completed');
    },
  );
});

it('changes nothing of an event, whatever fails at any call, and finds it unless its own put was lost', async () => {
  const names: string[] = [];
  await run(recordCalls(names));
  expect(names.filter(name => name === 'search.put')).toHaveLength(2);
  for (const [at, name] of names.entries()) {
    for (const fault of faultsOf(name)) {
      let seen = 0;
      const { world, runs } = await run(() => (++seen === at + 1 ? fault : undefined));
      await world.clock.advanceBy(HOUR_MS);
      const place = `${fault} at ${name} (${at})`;
      expect(world.item('evt_1')?.status, place).toBe('completed');
      if (name !== 'search.put') expect(foundIn(world), place).toHaveLength(2);
      // Beside the handler: what kills the process kills its run, and the event is run again, as at any other call.
      expect(runs(), place).toBeLessThanOrEqual(2);
    }
  }
});

it('is repeated by the next attempt where a process died before its put', async () => {
  const { world } = await run(faultAt('search.put', 1, 'crash_before'));
  await world.clock.advanceBy(HOUR_MS);
  expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 2 });
  expect(foundIn(world)).toHaveLength(2);
});
