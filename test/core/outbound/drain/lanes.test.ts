/** Whose turn it is at one endpoint: fresh messages, then retries, then replays; and none of them waits without end. */
import { expect, it } from 'vitest';
import { pause, resume } from '#core/outbound/gate/gate.ts';
import type { EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import { replayDelivery } from '#core/outbound/replay/replay-delivery.ts';
import { startReplayJob } from '#core/outbound/replay/replay-job.ts';
import { MINUTE_MS } from '#core/time.ts';
import { answered, OutboundWorld, type Receiver } from '#test/kit/outbound-world.ts';
import { runningReplayJob } from '#test/kit/running-replay-job.ts';

async function worldWith(receiver: Receiver, maxConcurrency: number, waits: readonly number[]) {
  const world = new OutboundWorld({ waits, idleMs: 500, publishes: 'direct' });
  const app = await world.createApplication();
  const ep = await world.createEndpoint(app, receiver, { maxConcurrency });
  world.start();
  const publish = async (key: string): Promise<MessageId> => {
    const heard = await world.clock.complete(world.publish(app, key));
    if (heard.kind !== 'accepted') throw new Error(heard.detail);
    return heard.id;
  };
  const statusOf = (msg: MessageId) => world.record(ep, world.message(msg))?.status;
  const gate = () => ({ by: 'operator', why: 'test', now: world.clock.now() }) as const;
  const close = () => world.clock.complete(world.insist(ports => pause(ports, ep, gate())));
  const open = () => world.clock.complete(world.insist(ports => resume(ports, ep, gate())));
  return { world, app, ep, publish, statusOf, close, open };
}
const kindsOf = (world: OutboundWorld, ep: EndpointId) => world.requestsTo(ep).map(({ id }) => id);

it('sends what is fresh before retries, and retries before replays, whichever was due first', async () => {
  let refuses = false;
  const { world, ep, publish, statusOf, close, open } = await worldWith(
    () => answered(refuses ? 422 : 200),
    1,
    [5, 60],
  );
  const old = await publish('old');
  await world.until(() => statusOf(old) === 'delivered', MINUTE_MS);
  refuses = true;
  const retried = await publish('retried');
  await world.until(() => statusOf(retried) === 'retrying', MINUTE_MS);
  await close();
  refuses = false;
  // Due at once, so before the retry.
  const request = { ep, msg: old, requestId: 'r1', by: 'test' };
  await world.clock.complete(world.insist(ports => replayDelivery(ports, world.rules.retentionMs, request)));
  await world.clock.advanceBy(MINUTE_MS);
  const fresh = await publish('fresh');
  const before = world.requestsTo(ep).length;
  await open();
  await world.until(() => world.requestsTo(ep).length === before + 3, 5 * MINUTE_MS);
  expect(kindsOf(world, ep).slice(before)).toEqual([fresh, retried, old]);
  world.stop();
});

it('gives every tenth page to what came later: a retry does not wait behind 600 fresh messages', async () => {
  let refuses = true;
  const { world, ep, publish, statusOf, close, open } = await worldWith(
    () => answered(refuses ? 422 : 200),
    10,
    [5, 60],
  );
  const retried = await publish('retried');
  await world.until(() => statusOf(retried) === 'retrying', MINUTE_MS);
  await close();
  refuses = false;
  for (let n = 0; n < 600; n++) await publish(`k${n}`);
  await world.clock.advanceBy(MINUTE_MS);
  await open();
  await world.until(() => world.requestsTo(ep).length === 602, 10 * MINUTE_MS);
  const at = kindsOf(world, ep).lastIndexOf(retried);
  expect(at).toBeGreaterThan(300);
  expect(at).toBeLessThan(560);
  world.stop();
});

it('lets at most 100 replays of a job wait at one endpoint', async () => {
  const { world, app, ep, publish, statusOf, close } = await worldWith(() => answered(422), 50, [1]);
  const all: MessageId[] = [];
  for (let n = 0; n < 160; n++) all.push(await publish(`k${n}`));
  await world.until(() => all.every(msg => statusOf(msg) === 'dead'), 10 * MINUTE_MS);
  await close();
  const now = world.clock.now();
  await startReplayJob(world.store, runningReplayJob(app, now, 1_000));
  await world.clock.advanceBy(10 * MINUTE_MS);
  expect(world.rows(ep)).toHaveLength(100);
  world.stop();
});
