/** Durable steps, through the real functions: what is finished is not repeated, whatever dies. */
import { expect, it } from 'vitest';
import { done, type Handler } from '#core/handler/handler-contract.ts';
import { HOUR_MS } from '#core/time.ts';
import { fulfilOrder, type Services } from '#handlers/examples/fulfil-order.ts';
import { type FaultPlan, faultsOf, recordCalls } from '#test/kit/memory/faults.ts';
import { type MemoryWorld, PAYLOADS } from '#test/kit/memory-world.ts';
import { faultAt } from '#test/proof/journeys/support/fault-at.ts';
import { deliver, makeEntityWorld } from './entity-world.ts';

interface Call {
  readonly name: string;
  readonly key: string;
  readonly answer: string;
}

/** Services that answer a new id for every call: they know nothing of the key, as the worst ones do. */
function countingServices(calls: Call[]): Services {
  const note = (name: string, key: string): string => {
    const answer = `${name}_${calls.filter(call => call.name === name).length + 1}`;
    calls.push({ name, key, answer });
    return answer;
  };
  return {
    charge: async (_order, key) => ({ chargeId: note('charge', key) }),
    ship: async (_order, key) => ({ parcelId: note('ship', key) }),
    notify: async (_order, text, key) => void note(text, key),
  };
}

const order = { data: { object: { id: 'ord_1' } } };

async function run(plan: FaultPlan | undefined): Promise<{ world: MemoryWorld; calls: Call[] }> {
  const calls: Call[] = [];
  const options = plan ? { planOf: (role: string) => (role === 'process' ? plan : () => undefined) } : {};
  const world = makeEntityWorld(() => fulfilOrder(countingServices(calls)), options);
  world.start();
  await deliver(world, 'evt_1', order);
  expect(await world.settle()).toBe(true);
  world.stop();
  return { world, calls };
}

const stepsOf = (world: MemoryWorld) => world.database.dump(PAYLOADS).filter(it => String(it['sk']).startsWith('S#'));

it('does not repeat the first two of three steps when the process is killed after the second', async () => {
  const { world, calls } = await run(faultAt('payloads.getStep', 3, 'crash_before'));
  expect(calls.map(({ name }) => name)).toEqual(['charge', 'ship', 'parcel ship_1 is on its way']);
  expect(world.item('evt_1')).toMatchObject({
    status: 'completed',
    attempts: 2,
    result: '{"chargeId":"charge_1","parcelId":"ship_1"}',
  });
  expect(
    stepsOf(world)
      .map(it => it['sk'])
      .sort(),
  ).toEqual(['S#1#charge', 'S#1#notify', 'S#1#ship']);
});

it('repeats only the step that was running when the process was killed, with its key', async () => {
  const { world, calls } = await run(faultAt('payloads.keepStep', 2, 'crash_before'));
  expect(calls.map(({ name }) => name)).toEqual(['charge', 'ship', 'ship', 'parcel ship_2 is on its way']);
  expect(calls[1]?.key).toBe(calls[2]?.key);
  expect(world.item('evt_1')?.result).toBe('{"chargeId":"charge_1","parcelId":"ship_2"}');
});

it('gives a frozen owner the result of the one who took over, and never overwrites it', async () => {
  const { world, calls } = await run(faultAt('payloads.keepStep', 2, 'stall'));
  await world.clock.advanceBy(HOUR_MS);
  expect(calls.map(({ name }) => name)).toEqual(['charge', 'ship', 'ship', 'parcel ship_2 is on its way']);
  expect(stepsOf(world).find(it => it['sk'] === 'S#1#ship')?.['result']).toBe('{"parcelId":"ship_2"}');
  expect(world.item('evt_1')).toMatchObject({ status: 'completed', result: expect.stringContaining('ship_2') });
});

it('ends with one result per step after every fault at every call', async () => {
  const names: string[] = [];
  await run(recordCalls(names));
  expect(names.filter(name => name.includes('Step'))).toHaveLength(6);
  for (const [at, name] of names.entries()) {
    for (const fault of faultsOf(name)) {
      let seen = 0;
      const { world, calls } = await run(() => (++seen === at + 1 ? fault : undefined));
      await world.clock.advanceBy(HOUR_MS);
      const place = `${fault} at ${name} (${at})`;
      expect(world.item('evt_1')?.status, place).toBe('completed');
      const kept = Object.fromEntries(stepsOf(world).map(it => [String(it['sk']).slice(4), it['result']]));
      const { chargeId, parcelId } = JSON.parse(world.item('evt_1')?.result ?? '{}') as Record<string, string>;
      expect(kept, place).toEqual({
        charge: JSON.stringify({ chargeId }),
        ship: JSON.stringify({ parcelId }),
        notify: undefined,
      });
      // One call each, but for the step whose storing the fault hit; a repeated call has the key of the first.
      expect(calls.length, place).toBeLessThanOrEqual(name === 'payloads.keepStep' ? 4 : 3);
      expect(new Set(calls.map(({ key }) => key)).size, place).toBe(3);
    }
  }
});

it('keeps results over the replay of a dead event, and starts afresh for a completed one', async () => {
  const runs: string[] = [];
  let isBroken = true;
  const handle: Handler = async (_event, context) => {
    await context.step('first', async () => void runs.push(`first ${context.idempotencyKey}`));
    if (isBroken) throw new Error('broken');
    return done();
  };
  const world = makeEntityWorld(() => handle, { retry: { attempts: 3, baseSeconds: 1, capSeconds: 1 } });
  world.start();
  await deliver(world, 'evt_1');
  await world.settle();
  expect(world.item('evt_1')?.status).toBe('dead_letter');
  isBroken = false;
  for (const replayId of ['r1', 'r2']) {
    await world.clock.complete(world.replay('evt_1', { replayId, by: 'test', why: 'test' }));
    await world.settle();
    expect(world.item('evt_1')?.status).toBe('completed');
  }
  world.stop();
  expect(runs).toEqual(['first default:evt_1:1', 'first default:evt_1:2']);
});
