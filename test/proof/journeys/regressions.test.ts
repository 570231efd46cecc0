/** Failures seen in other projects, one named test each: what was accepted, and what becomes of it afterwards. */
import { describe, expect, it } from 'vitest';
import { TTL_ATTRIBUTE } from '#core/glossary.ts';
import { defer, defineHandlers, done, retryAfter } from '#core/handler/handler-contract.ts';
import { encodeWorkMessage } from '#core/inbound/protocol/work-message.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time.ts';
import { generic } from '#providers/generic.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { complaintsAbout } from './oracle.ts';
import { atIngest, faultAt, faultWhile } from './support/fault-at.ts';
import { handlerThat } from './support/handlers.ts';
import { bodiesOf, tracesIn, workOff } from './support/traces.ts';

/** A provider waits; a duplicate that comes at once is left to the request before it and to the sweeper. */
const UNTIL_THE_NEXT_TRY_MS = 31 * SECOND_MS;
const createdAt = 1_767_571_200_000;
const ASK = { replayId: 'replay-1', by: 'test', why: 'test' };
const alwaysFails = handlerThat(() => Promise.reject(new Error('never')));

// Holds I2.
describe('regression: the record was written, the enqueue failed, and retries are told duplicate', () => {
  it.each(['error', 'hang', 'crash_before'] as const)('heals on the next delivery after %s', async fault => {
    const world = new MemoryWorld({ plan: faultAt('queue.send', 1, fault) });
    await world.post({ id: 'evt_1', createdAt });
    expect(world.main.sent).toBe(0);
    await world.clock.advanceBy(UNTIL_THE_NEXT_TRY_MS);
    expect(await world.post({ id: 'evt_1', createdAt })).toMatchObject({ status: 200 });
    expect(world.main.sent).toBe(1);
    expect(await workOff(world)).toBe(true);
    expect(world.effects('evt_1')).toBe(1);
  });

  it.each(['error', 'hang', 'crash_before'] as const)('heals by the sweeper alone after %s', async fault => {
    const world = new MemoryWorld({ plan: faultAt('queue.send', 1, fault) });
    await world.post({ id: 'evt_1' });
    expect(await workOff(world)).toBe(true);
    expect(world.effects('evt_1')).toBe(1);
  });
});

// Holds I5, I7.
it.each(['lost_reply_error', 'crash_after'] as const)(
  'regression: the enqueue succeeded and its answer was lost (%s): the second request has no second effect',
  async fault => {
    const world = new MemoryWorld({ plan: faultAt('queue.send', 1, fault) });
    await world.post({ id: 'evt_1', createdAt });
    await world.clock.advanceBy(UNTIL_THE_NEXT_TRY_MS);
    expect(await world.post({ id: 'evt_1', createdAt })).toMatchObject({ status: 200 });
    expect(world.main.sent).toBe(2);
    expect(await workOff(world)).toBe(true);
    expect(world.effects('evt_1')).toBe(1);
    expect(world.outside).toHaveLength(1);
  },
);

// Holds I5, I11.
it('regression: a race of fifty identical requests has one effect, one record and fifty answers of 200', async () => {
  const world = new MemoryWorld({ process: { latencyMs: () => ({ there: 2, back: 3 }) } });
  const requests = Array.from({ length: 50 }, () => world.deliver({ id: 'evt_1', createdAt }));
  const answers = await world.clock.complete(Promise.all(requests));
  expect(answers.map(it => it?.status)).toEqual(Array(50).fill(200));
  expect(world.main.sent).toBe(1);
  expect(await workOff(world)).toBe(true);
  expect(world.items()).toHaveLength(1);
  expect(world.outside).toHaveLength(1);
  expect(world.effects('evt_1')).toBe(1);
});

// Holds I10.
it('regression: a forged request does not occupy the id of the genuine one', async () => {
  const world = new MemoryWorld();
  const headers = { 'x-webhook-signature': `sha256=${'0'.repeat(64)}` };
  expect(await world.post({ id: 'evt_1', headers })).toMatchObject({ status: 401 });
  expect(tracesIn(world)).toEqual([]);
  expect(await world.post({ id: 'evt_1' })).toMatchObject({ body: expect.stringContaining('"accepted"') });
  expect(await workOff(world)).toBe(true);
  expect(world.effects('evt_1')).toBe(1);
});

// Holds I2, I14.
it('regression: another body under a known id is recorded and counted, not dropped and not refused', async () => {
  const world = new MemoryWorld();
  await world.post({ id: 'evt_1', data: { n: 1 } });
  expect(await world.post({ id: 'evt_1', data: { n: 2 } })).toMatchObject({ status: 200 });
  expect(world.telemetry.total('PayloadMismatch')).toBe(1);
  expect(bodiesOf(world, 'evt_1')).toBe(2);
  expect(await workOff(world)).toBe(true);
  expect(Buffer.from(world.outside[0]?.bytes ?? []).toString()).toContain('"n":1');
});

// Holds I2, I4.
it('regression: a delivery of a dead event is visible, and the event can be run again', async () => {
  let broken = true;
  const handlers = handlerThat(() => (broken ? Promise.reject(new Error('down')) : undefined));
  const world = new MemoryWorld({ handlers, retry: { attempts: 2, baseSeconds: 1, capSeconds: 1 } });
  await world.post({ id: 'evt_1', createdAt });
  await workOff(world);
  expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', attempts: 2 });
  expect(await world.post({ id: 'evt_1', createdAt })).toMatchObject({
    body: expect.stringContaining('already_processed'),
  });
  expect(world.telemetry.total('Duplicate')).toBe(1);
  broken = false;
  expect(await world.clock.complete(world.replay('evt_1', ASK))).toMatchObject({ kind: 'replayed' });
  expect(await workOff(world)).toBe(true);
  expect(world.item('evt_1')).toMatchObject({ status: 'completed', gen: 2, run: 1 });
  expect(world.effects('evt_1')).toBe(1);
});

// Holds I4, I8.
it('regression: a delivery after 71 hours is still a duplicate', async () => {
  const world = new MemoryWorld();
  await world.post({ id: 'evt_1', createdAt });
  await workOff(world);
  await world.clock.advanceBy(71 * HOUR_MS);
  expect(await world.post({ id: 'evt_1', createdAt })).toMatchObject({
    body: expect.stringContaining('already_processed'),
  });
  expect(world.main.sent).toBe(1);
});

// Holds I2, I10.
it('regression: events without an id that arrive in one millisecond do not overwrite each other', async () => {
  const identity = { ...generic.identity, key: [['none' as const]] };
  const world = new MemoryWorld({ source: { spec: { ...generic, identity } } });
  await Promise.all([world.deliver({ id: 'x' }), world.deliver({ id: 'x' }), world.deliver({ id: 'y' })]);
  expect(new Set(world.items().map(it => it.receivedAt)).size).toBe(1);
  expect(await workOff(world)).toBe(true);
  expect(world.items()).toHaveLength(3);
  expect(world.outside).toHaveLength(3);
});

// Holds I10.
it('regression: parts of a key that run together give different keys', async () => {
  const identity = { ...generic.identity, key: [['json:a' as const, 'json:b' as const]] };
  const world = new MemoryWorld({ source: { spec: { ...generic, identity } } });
  for (const parts of [
    { a: '1', b: '23' },
    { a: '12', b: '3' },
  ]) {
    await world.post({ id: '', rawBody: JSON.stringify(parts) });
  }
  expect(new Set(world.items().map(it => it.pk)).size).toBe(2);
  expect(world.telemetry.total('Duplicate')).toBe(0);
});

// Holds I8.
it('regression: the attribute that is written is the one the table expires by, in seconds', async () => {
  const world = new MemoryWorld();
  await world.post({ id: 'evt_1' });
  await workOff(world);
  const completedAt = world.item('evt_1')?.completedAt ?? 0;
  expect(world.item('evt_1')?.[TTL_ATTRIBUTE]).toBe(Math.floor(completedAt / 1_000) + 30 * 86_400);
  await world.clock.advanceBy(33 * DAY_MS);
  expect(world.item('evt_1')).toBeUndefined();
});

// Holds I4, I6.
it('regression: a person may replay a completed event, once per request', async () => {
  const world = new MemoryWorld();
  await world.post({ id: 'evt_1' });
  await workOff(world);
  for (const kind of ['replayed', 'already_replayed']) {
    expect(await world.clock.complete(world.replay('evt_1', ASK))).toMatchObject({ kind });
    expect(await workOff(world)).toBe(true);
  }
  await world.clock.complete(world.replay('evt_1', { ...ASK, replayId: 'replay-2' }));
  expect(await workOff(world)).toBe(true);
  expect(world.effects('evt_1')).toBe(3);
  expect(new Set(world.outside.map(it => it.key))).toEqual(
    new Set(['default:evt_1:1', 'default:evt_1:2', 'default:evt_1:3']),
  );
});

// Holds I2, I12.
describe('regression: no path goes round forever; each has a budget and an end', () => {
  const always: [string, NonNullable<Parameters<typeof handlerThat>[0]>, string][] = [
    ['throws', () => Promise.reject(new Error('never')), 'handler_error'],
    ['asks to be called again at once', () => Promise.resolve(retryAfter(0)), 'retry_after'],
    ['asks for a long wait', () => Promise.resolve(retryAfter(30 * 86_400)), 'retry_after'],
    [
      'waits for another event',
      ({ world }) => Promise.resolve(defer(world.clock.now() + HOUR_MS, 'order')),
      'deferred_too_long',
    ],
  ];
  it.each(always)('when the handler always %s', async (_name, first, cause) => {
    const retry = { attempts: 3, baseSeconds: 1, capSeconds: 1 };
    const world = new MemoryWorld({
      handlers: handlerThat(first),
      retry,
      idleMs: MINUTE_MS,
      sweepEveryMs: HOUR_MS,
    });
    await world.post({ id: 'evt_1' });
    world.start();
    expect(await world.settle(30 * DAY_MS)).toBe(true);
    expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', cause, dlqSent: true });
    expect(world.item('evt_1')?.attempts).toBeLessThanOrEqual(3);
  });

  it('when its process dies at every attempt', async () => {
    const world = new MemoryWorld({
      handlers: handlerThat(({ world: { process } }) => {
        process.killBusy();
        return undefined;
      }),
      retry: { attempts: 3, baseSeconds: 1, capSeconds: 1 },
    });
    await world.post({ id: 'evt_1' });
    expect(await workOff(world)).toBe(true);
    expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', cause: 'attempts_spent', attempts: 4 });
  });

  it('when nobody ever claims it', async () => {
    const world = new MemoryWorld({ queue: { retentionSeconds: 60 }, sweepEveryMs: 10 * MINUTE_MS });
    await world.post({ id: 'evt_1' });
    world.start();
    world.mapping.disable();
    expect(await world.settle(30 * DAY_MS)).toBe(true);
    expect(world.item('evt_1')).toMatchObject({
      status: 'dead_letter',
      cause: 'unclaimable',
      resends: 24,
      attempts: 0,
    });
    // Once by ingest, once when the sweeper met it unclaimed, then 24 counted times.
    expect(world.main.sent).toBe(26);
  });
});

// Holds I4, I7.
it('regression: a worker goes by the record as it is at the claim, not by what its message remembers', async () => {
  const world = new MemoryWorld({ handlers: alwaysFails, retry: { attempts: 2, baseSeconds: 1, capSeconds: 1 } });
  await world.post({ id: 'evt_1' });
  const [remembered] = world.main.dump();
  await workOff(world);
  expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', attempts: 2 });
  const failed = world.telemetry.total('AttemptsFailed');
  for (let n = 0; n < 5; n++) world.main.send(remembered?.body ?? '');
  const { pk, ingestId = '', bodySha = '', eventType = '', size = 0, receivedAt = 0 } = world.item('evt_1') ?? {};
  if (!pk) throw new Error('the record is gone');
  const old = { v: 1, pk, gen: 1, provider: 'generic', eventType, ingestId, bodySha, size, receivedAt } as const;
  world.main.send(encodeWorkMessage({ ...old, again: true }));
  await workOff(world);
  expect(world.telemetry.total('AttemptsFailed')).toBe(failed);
  expect(world.main.dump()).toEqual([]);
  expect(complaintsAbout(world)).toEqual([]);
});

// Holds I5, I14.
it('regression: a copy that came with another type under a known id does not choose the handler', async () => {
  const seen: string[] = [];
  const handlerOf = (type: string) => ({
    source: '*',
    type,
    handle: async (event: { readonly type: string }) => {
      seen.push(`${type} got ${event.type}`);
      return done();
    },
  });
  const handlers = () => defineHandlers([handlerOf('paid'), handlerOf('refunded')]);
  let tableIsDown = false;
  const planOf = atIngest(
    faultAt('queue.send', 1, 'error'),
    faultWhile('payloads.putBody', 'error', () => tableIsDown),
  );
  const world = new MemoryWorld({ handlers, planOf });
  await world.post({ id: 'evt_1', type: 'paid' });
  tableIsDown = true;
  await world.post({ id: 'evt_1', type: 'refunded' });
  expect(world.main.dump().map(it => JSON.parse(it.body))).toMatchObject([{ eventType: 'refunded' }]);
  expect(await workOff(world)).toBe(true);
  expect(seen).toEqual(['paid got paid']);
});
