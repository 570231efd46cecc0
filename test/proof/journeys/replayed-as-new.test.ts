/** What a new generation takes over from the one before, and what not. */
import { expect, it } from 'vitest';
import { defineHandlers, done, reject } from '#core/handler/handler-contract.ts';
import { DAY_MS } from '#core/time.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { handlerThat } from './support/handlers.ts';
import { workOff } from './support/traces.ts';

const again = { replayId: 'r', by: 'ada', why: 'again' };

async function replay(world: MemoryWorld, id: string, more: { bodySha?: string } = {}): Promise<void> {
  await world.clock.complete(world.replay(id, { ...again, ...more }));
  expect(await workOff(world)).toBe(true);
}

it.each([
  ['a result', done({ actionTaken: 'charged', data: { charge: 'ch_1' } })],
  ['a reason', reject('unknown customer')],
])('does not show %s of the run before as its own', async (_name, first) => {
  const handlers = handlerThat(({ nth }) => Promise.resolve(nth === 1 ? first : done()));
  const world = new MemoryWorld({ handlers });
  await world.post({ id: 'a' });
  expect(await workOff(world)).toBe(true);
  await replay(world, 'a');
  const item = world.item('a');
  expect(item).toMatchObject({ status: 'completed', gen: 2 });
  expect([item?.actionTaken, item?.result]).toEqual([undefined, undefined]);
});

// Holds I4.
it('does not say "too old" of an event that was recorded as such, replayed and handled', async () => {
  const world = new MemoryWorld({ handlers: handlerThat(() => Promise.resolve(done())) });
  await world.post({ id: 'a', createdAt: world.clock.now() - 40 * DAY_MS });
  await replay(world, 'a');
  expect(world.item('a')).toMatchObject({ status: 'completed' });
  expect(world.item('a')?.actionTaken).toBeUndefined();
});

// Holds I13, I14.
it('runs another body of the same id as what it is: its type, its time, its handler', async () => {
  const seen: string[] = [];
  const handlerOf = (type: string) => ({
    source: '*',
    type,
    handle: async (event: { readonly type: string; readonly time: number }) => {
      seen.push(`${type} got ${event.type} of ${event.time}`);
      return done();
    },
  });
  const world = new MemoryWorld({ handlers: () => defineHandlers([handlerOf('paid'), handlerOf('refunded')]) });
  const at = world.clock.now();
  await world.post({ id: 'a', type: 'paid', createdAt: at - 2_000 });
  await world.post({ id: 'a', type: 'refunded', createdAt: at - 1_000 });
  expect(await workOff(world)).toBe(true);
  // A person takes it from the log line that the alarm's first command shows.
  const [conflict] = world.telemetry.lines.map(({ line }) => line).filter(line => line['cause'] === 'payload_mismatch');
  expect(conflict).toMatchObject({ source: 'default', event_id: 'evt_default.a' });
  expect(conflict?.['body_sha']).not.toBe(world.item('a')?.bodySha);
  await replay(world, 'a', { bodySha: String(conflict?.['body_sha']) });
  expect(seen).toEqual([`paid got paid of ${at - 2_000}`, `refunded got refunded of ${at - 1_000}`]);
});
