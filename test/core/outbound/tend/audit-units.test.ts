/** What an audit reads depends on how many endpoints there are, and little on how many rows wait at them. */
import { expect, it } from 'vitest';
import { disable } from '#core/outbound/gate/gate.ts';
import { liveRow } from '#core/outbound/protocol/delivery-writes.ts';
import type { EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#core/time.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';

/** What one audit asks of the table of rows: so many endpoints, with so many rows each. */
async function audited(endpoints: number, rowsOfEach: number, closed = false) {
  const world = new OutboundWorld({ auditMinutes: 1 });
  world.tending = false;
  const app = await world.createApplication();
  const eps: EndpointId[] = [];
  for (let n = 0; n < endpoints; n++) {
    eps.push(await world.createEndpoint(app, () => answered(200)));
    if (n % 50 === 0) await world.clock.advanceBy(SECOND_MS);
  }
  const act = { by: 'customer', why: 'test', now: world.clock.now() } as const;
  if (closed) for (const ep of eps) await world.clock.complete(world.insist(ports => disable(ports, ep, act)));
  // Messages are compared once an hour: not in the run that is counted.
  await world.clock.complete(world.tend(), MINUTE_MS);
  const from = world.clock.now();
  for (let n = 0; n < rowsOfEach; n += 500) {
    for (const ep of eps) {
      const rows = Array.from({ length: Math.min(500, rowsOfEach - n) }, (_, at) => {
        const msg = `msg_${String(n + at).padStart(26, '0')}` as MessageId;
        return liveRow({ ep, msg, createdAt: from + (n + at) * 10 }, from, 30 * DAY_MS);
      });
      await world.store.putMany('outbox', rows);
    }
    await world.clock.advanceBy(SECOND_MS);
  }
  await world.clock.advanceBy(20 * MINUTE_MS);
  const used = () => {
    const { calls = 0, readUnits = 0 } = world.database.usage.get('outbox') ?? {};
    return { calls, units: readUnits };
  };
  const before = used();
  await world.clock.complete(world.tend(), MINUTE_MS);
  return { calls: used().calls - before.calls, units: used().units - before.units };
}

it('reads two rows of an endpoint, however many wait behind a shut gate', async () => {
  const few = await audited(20, 20, true);
  const many = await audited(20, isLongRun() ? 2_000 : 500, true);
  expect(few).toMatchObject({ calls: 2 * 20, units: 2 * 20 });
  expect(many).toEqual(few);
});

it('counts what waits at an open endpoint up to ten thousand, and estimates the rest in fifty looks', async () => {
  const one = await audited(1, 12_000);
  const more = await audited(1, isLongRun() ? 60_000 : 24_000);
  for (const { calls, units } of [one, more]) {
    // One of them notes that something waits there.
    expect(calls).toBeLessThan(66);
    expect(units).toBeLessThan(700);
  }
});
