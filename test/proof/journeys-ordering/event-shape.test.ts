/** What a handler is given: the attributes of CloudEvents, and a context that counts by the gateway's clock. */
import { expect, it } from 'vitest';
import { defer, done, type Handler, type HandlerContext, type WebhookEvent } from '#core/handler/handler-contract.ts';
import { deliver, ENTITIES, makeEntityWorld } from './entity-world.ts';

async function seenBy(rawBody: string, answer: Handler = async () => done()) {
  const seen: { event: WebhookEvent; context: HandlerContext }[] = [];
  const world = makeEntityWorld(() => async (event, context) => {
    seen.push({ event, context });
    return answer(event, context);
  });
  world.start();
  const noon = world.clock.now();
  await deliver(world, 'evt_1', { rawBody });
  await world.settle();
  world.stop();
  return { seen, world, noon };
}

it('names the event, its source, its type, its time, its subject and its data', async () => {
  const rawBody =
    '{"event_id":"evt_1","event_type":"t","created_at":"2026-11-20T00:00:00Z","data":{"object":{"id":9007199254740993}}}';
  const { seen, noon } = await seenBy(rawBody);
  expect(seen[0]?.event).toMatchObject({
    id: 'evt_default.evt_1',
    source: 'default',
    provider: 'generic',
    type: 't',
    time: Date.parse('2026-11-20T00:00:00Z'),
    receivedAt: noon,
    subject: '9007199254740993',
    headers: { 'content-type': 'application/json' },
    payload: { data: { object: { id: 9007199254740993n } } },
    attempt: 1,
    generation: 1,
    idempotencyKey: 'default:evt_1:1',
  });
  expect(seen[0]?.event).not.toHaveProperty('timeIsArrival');
  expect(Buffer.from(seen[0]?.event.bytes ?? []).toString()).toBe(rawBody);
  expect(seen[0]?.context).toMatchObject({ attempt: 1, generation: 1, idempotencyKey: 'default:evt_1:1' });
});

it('says when the time is only that of arrival, and has no subject where none is named', async () => {
  const { seen, noon } = await seenBy('{"event_id":"evt_1","event_type":"t"}');
  expect(seen[0]?.event).toMatchObject({ time: noon, timeIsArrival: true });
  expect(seen[0]?.event).not.toHaveProperty('subject');
});

it('tells a deferred event since when it waits', async () => {
  const { seen } = await seenBy('{"event_id":"evt_1"}', async (_event, context) =>
    context.deferredSince === undefined ? defer(context.startedAt + 60_000, 'wait') : done(),
  );
  expect(seen).toHaveLength(2);
  const [first, second] = seen.map(({ context }) => context);
  expect(first?.deferredSince).toBeUndefined();
  expect((second?.startedAt ?? 0) - (second?.deferredSince ?? 0)).toBeGreaterThanOrEqual(58_000);
});

it('reads rows of other tables, and limits a part of the attempt', async () => {
  const read: unknown[] = [];
  const { world } = await seenBy('{"event_id":"evt_1"}', async (_event, context) => {
    read.push(await context.read(ENTITIES, { id: 'none' }));
    read.push(await context.limit(1_000, async () => 'in time'));
    read.push(await context.limit(1_000, () => new Promise(() => {})));
    await context.read('no-such-table', { id: 'none' });
    return done();
  });
  expect(read.slice(0, 3)).toEqual([undefined, { kind: 'finished', value: 'in time' }, { kind: 'timed_out' }]);
  expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', cause: 'dependency' });
});
