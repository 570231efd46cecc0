/** Deliveries that come under one id and differ: in body, type, headers, or in what carries them. */
import { expect, it } from 'vitest';
import { defineHandlers, done } from '#core/handler/handler-contract.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { generic } from '#providers/generic.ts';
import { EVENTS, MemoryWorld } from '#test/kit/memory-world.ts';
import { atIngest, faultAt, faultWhile } from './support/fault-at.ts';
import { bodiesOf, workOff } from './support/traces.ts';

const identity = { ...generic.identity };
const BATCHES: ProviderSpec = { ...generic, identity: { ...identity, items: 'events[]' } };

/** What each attempt was given, in words. */
function worldThatNotes(options: ConstructorParameters<typeof MemoryWorld>[0] = {}) {
  const seen: string[] = [];
  const handlerOf = (type: string) => ({
    source: '*',
    type,
    handle: async (event: { readonly type: string; readonly headers: Readonly<Record<string, string>> }) => {
      seen.push(`${type} got ${event.type}, ${event.headers['x-event-type'] ?? 'no header'}`);
      return done();
    },
  });
  const handlers = () => defineHandlers(['paid', 'refunded', '*'].map(handlerOf));
  return { world: new MemoryWorld({ handlers, ...options }), seen };
}

// Holds I2, I13.
it('a repetition that sends an event for the first time says what that event is, should its record be gone', async () => {
  const { world, seen } = worldThatNotes({ plan: faultAt('queue.send', 1, 'error') });
  await world.post({ id: 'evt_1', type: 'paid' });
  await world.post({ id: 'evt_1', type: 'refunded' });
  // The table was restored to a moment before; the message and the payloads are there.
  world.database.empty(EVENTS);
  expect(await workOff(world)).toBe(true);
  expect(world.item('evt_1')).toMatchObject({ status: 'completed', eventType: 'paid' });
  expect(seen).toEqual(['paid got paid, no header']);
});

// Holds I13.
it('the same bytes under the same id with other headers: the handler gets those its type was read from', async () => {
  const spec: ProviderSpec = { ...generic, identity: { ...identity, type: ['header:x-event-type'] } };
  let down = false;
  const planOf = atIngest(
    faultAt('queue.send', 1, 'error'),
    faultWhile('payloads.putBody', 'error', () => down),
  );
  const { world, seen } = worldThatNotes({ source: { spec }, planOf });
  const delivery = { id: 'evt_1', createdAt: world.clock.now() };
  await world.post({ ...delivery, headers: { 'x-event-type': 'paid' } });
  down = true;
  await world.post({ ...delivery, headers: { 'x-event-type': 'refunded' } });
  expect(world.main.dump()).toHaveLength(1);
  expect(await workOff(world)).toBe(true);
  expect(seen).toEqual(['paid got paid, paid']);
});

// Holds I11.
it('a provider whose repetitions differ in bytes makes no conflict, also when the table was down', async () => {
  const spec: ProviderSpec = { ...generic, identity: { ...identity, unstableBody: true } };
  let down = true;
  const planOf = atIngest(faultWhile('payloads.putBody', 'error', () => down));
  const world = new MemoryWorld({ source: { spec }, planOf });
  await world.post({ id: 'evt_1', data: { try: 1 } });
  down = false;
  await world.post({ id: 'evt_1', data: { try: 2 } });
  expect(await workOff(world)).toBe(true);
  expect(bodiesOf(world, 'evt_1')).toBe(2);
  expect(world.telemetry.total('PayloadMismatch')).toBe(0);
});

// Holds I14.
it('an event that came in two requests of many with other bytes is a conflict, as between two requests of one', async () => {
  const world = new MemoryWorld({ source: { spec: BATCHES } });
  for (const n of [1, 2]) {
    await world.post({
      id: `r${n}`,
      rawBody: JSON.stringify({ events: [{ event_id: 'a', n }, { event_id: `b${n}` }] }),
    });
    expect(await workOff(world)).toBe(true);
  }
  expect(world.effects('a')).toBe(1);
  expect(bodiesOf(world, 'a')).toBe(2);
  expect(world.telemetry.total('PayloadMismatch')).toBe(1);
});
