/** Bad messages in the queue and bad items in the table: a recorded outcome each, no batch lost, no loop without an end. */
import { describe, expect, it } from 'vitest';
import { LOCAL_TIMINGS } from '#core/config/defaults.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { EVENTS, MemoryWorld, type WorldOptions } from '#test/kit/memory-world.ts';
import { tracesIn, workOff } from './support/traces.ts';

/** A message like those of ingest, with something changed. */
function messageLike(change: Readonly<Record<string, unknown>>): string {
  const message = {
    v: 1,
    pk: 'default#evt_x',
    gen: 1,
    bodySha: 'ab'.repeat(32),
    provider: 'generic',
    eventType: 'test',
    ingestId: 'i',
    size: 2,
    receivedAt: 1_767_571_200_000,
    ...change,
  };
  return JSON.stringify(message);
}

// Holds I7.
describe('a message that is not one of ours', () => {
  it.each([
    ['garbage', '\u00e9 not json at all'],
    ['a JSON text', '"hello"'],
    ['a list', '[1,2,3]'],
    ['null', 'null'],
    ['an SNS notification', '{"Type":"Notification","Message":"{}"}'],
    ['an older version', messageLike({ v: 0 })],
    ['a newer version', messageLike({ v: 2 })],
    ['no version', messageLike({ v: undefined })],
    ['no key', messageLike({ pk: undefined })],
    ['a key that is none', messageLike({ pk: 'no-separator' })],
    ['a key of another shape', messageLike({ pk: { a: 1 } })],
    ['a key with a forbidden source', messageLike({ pk: '../etc#x' })],
    ['no generation', messageLike({ gen: undefined })],
    ['a generation of zero', messageLike({ gen: 0 })],
    ['a fraction of a generation', messageLike({ gen: 1.5 })],
    ['a text for a number', messageLike({ size: '2' })],
    ['a null payload', messageLike({ payload: null })],
    ['headers as a text', messageLike({ headers: 'x' })],
    ['a very deep body', `{"v":1,"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
  ])('(%s) goes to the DLQ whole, with the cause, and costs its neighbours nothing', async (_name, body) => {
    const world = new MemoryWorld();
    for (let n = 0; n < 4; n++) await world.post({ id: `evt_${n}` });
    world.main.send(body);
    expect(await workOff(world)).toBe(true);
    expect(world.dead.dump().map(it => [it.body, it.attributes['cause']])).toEqual([[body, 'unknown_message']]);
    expect(world.main.dump()).toEqual([]);
    expect(world.items().map(it => `${it.status} ${it.attempts}`)).toEqual(Array(4).fill('completed 1'));
    expect(world.telemetry.lines.filter(({ line }) => line['cause'] === 'unknown_message')).toHaveLength(1);
  });

  it('stays in the queue while the DLQ cannot take it', async () => {
    const world = new MemoryWorld({
      plan: call => (call.name === 'dead.send' && call.at < 1_767_571_200_000 + 20 * MINUTE_MS ? 'error' : undefined),
    });
    world.main.send('not ours');
    world.start();
    await world.clock.advanceBy(15 * MINUTE_MS);
    expect([world.main.dump().length, world.dead.dump().length]).toEqual([1, 0]);
    await world.clock.advanceBy(30 * MINUTE_MS);
    expect([world.main.dump().length, world.dead.dump().length]).toEqual([0, 1]);
  });

  it('is never drained from the DLQ by the sweeper', async () => {
    const world = new MemoryWorld({ queue: { duplicateRate: 0 }, deadQueue: { duplicateRate: 0 } });
    world.main.send('not ours');
    world.start();
    await world.clock.advanceBy(3 * HOUR_MS);
    expect(world.dead.dump()).toHaveLength(1);
  });
});

// Holds I7, I14.
describe('a message whose event cannot be had', () => {
  it('with neither record nor payload goes to the DLQ with the cause', async () => {
    const world = new MemoryWorld();
    world.main.send(messageLike({}));
    expect(await workOff(world)).toBe(true);
    expect(world.dead.dump().map(it => [it.body, it.attributes['cause']])).toEqual([
      [messageLike({}), 'payload_missing'],
    ]);
    expect(world.items()).toEqual([]);
  });

  it.each([
    ['is not deflated', Buffer.from('plain').toString('base64'), 'internal_error'],
    ['is not base64', '%%%', 'internal_error'],
    ['inflates to more than any body', 'H4sIAAAAAAAA', 'internal_error'],
    ['needs a dictionary of a newer version', Buffer.from([0b110, 255, 3, 0]).toString('base64'), 'unknown_dictionary'],
  ])('with a payload that %s ends in the DLQ within its attempts', async (_name, payload, cause) => {
    const world = new MemoryWorld({ retry: { attempts: 3, baseSeconds: 1, capSeconds: 1 } });
    world.main.send(messageLike({ payload, unrecorded: true }));
    expect(await workOff(world)).toBe(true);
    expect(world.items()).toMatchObject([{ status: 'dead_letter', cause, attempts: 3, dlqSent: true }]);
  });
});

// Holds I2, I7.
describe('a record that this version does not know', () => {
  /** Changes the stored record as another version of the product would have written it. */
  async function worldWith(
    change: Readonly<Record<string, unknown>>,
    remove: readonly string[] = [],
    options: WorldOptions = {},
  ): Promise<MemoryWorld> {
    const world = new MemoryWorld({
      queue: { duplicateRate: 0, retentionSeconds: 60 },
      deadQueue: { duplicateRate: 0 },
      idleMs: 20_000,
      ...options,
    });
    await world.post({ id: 'evt_1' });
    await world.post({ id: 'evt_2' });
    world.database.write({ kind: 'update', table: EVENTS, key: { pk: 'default#evt_1' }, set: change, remove });
    world.start();
    return world;
  }

  it.each([
    ['an unknown status', { status: 'hibernating' }],
    ['a newer layout', { schemaVersion: 2 }],
  ])(
    'because of %s is left as it is; its message goes to the DLQ and the sweeper sends no more of them',
    async (_name, change) => {
      const world = await worldWith(change);
      await world.clock.advanceBy(8 * HOUR_MS);
      expect(world.item('evt_1')).toMatchObject({ ...change, attempts: 0, gen: 1 });
      expect(world.item('evt_1')?.watchAt).toBeGreaterThan(world.clock.now());
      expect(world.dead.dump().map(it => it.attributes['cause'])).toEqual(['unknown_record']);
      expect(world.main.sent).toBe(2);
      expect(world.main.dump()).toEqual([]);
      expect(world.outside.map(it => it.eventId)).toEqual(['evt_2']);
      expect(world.item('evt_2')?.status).toBe('completed');
      expect(world.telemetry.lines.some(it => it.level === 'error' && it.line['cause'] === 'unknown_record')).toBe(
        true,
      );
    },
  );

  it('because it is older and lacks what came later is processed all the same', async () => {
    const world = await worldWith({ schemaVersion: 0 }, ['resends', 'timelineHour', 'timelineAt', 'size', 'provider']);
    expect(await world.settle()).toBe(true);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 1 });
  });

  it('because it is older and was never claimed is sent again a bounded number of times', async () => {
    const world = await worldWith({ schemaVersion: 0 }, ['resends'], { timings: LOCAL_TIMINGS });
    world.mapping.disable();
    await world.clock.advanceBy(2 * HOUR_MS);
    expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', cause: 'unclaimable' });
    expect(world.main.sent).toBeLessThan(60);
  });
});

it('nothing at all in the queue leaves nothing behind', async () => {
  const world = new MemoryWorld();
  world.start();
  await world.clock.advanceBy(10 * MINUTE_MS);
  expect(tracesIn(world)).toEqual([]);
});
