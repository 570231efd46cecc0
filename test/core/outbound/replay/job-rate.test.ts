/** A replay job runs at its rate, whatever else its endpoint gets. */
import { expect, it } from 'vitest';
import type { MessageId } from '#core/outbound/protocol/ids.ts';
import { startReplayJob } from '#core/outbound/replay/replay-job.ts';
import { SECOND_MS } from '#core/time.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';
import { runningReplayJob } from '#test/kit/running-replay-job.ts';

/** At this rate a job of a million ends in five hours and 34 minutes, if it keeps it: ten times as many take ten times as long. */
const DEAD = isLongRun() ? 10_000 : 1_000;

it(`replays ${DEAD} dead deliveries at 50 a second, with live traffic beside`, async () => {
  let refuses = true;
  const live: number[] = [];
  const world = new OutboundWorld({ waits: [1], publishes: 'direct', longPolling: true, idleMs: 5_000 });
  const app = await world.createApplication();
  const ep = await world.createEndpoint(app, () => world.clock.sleep(20).then(() => answered(refuses ? 422 : 200)));
  world.start();
  const dead: MessageId[] = [];
  for (let n = 0; n < DEAD; n++) {
    const heard = await world.clock.complete(world.publish(app, `k${n}`));
    if (heard.kind === 'accepted') dead.push(heard.id);
  }
  const statusOf = (msg: MessageId) => world.record(ep, world.message(msg))?.status;
  await world.until(() => dead.every(msg => statusOf(msg) === 'dead'), 6_000 * SECOND_MS);
  refuses = false;
  await world.clock.advanceBy(5 * SECOND_MS);
  // 1. The job, as the API starts it.
  const job = runningReplayJob(app, world.clock.now(), 50);
  await startReplayJob(world.store, job);
  await world.jobs.send(JSON.stringify({ v: 1, replay: job.id }));
  const begun = world.clock.now();
  // 2. Ten live messages a second beside it.
  for (let n = 0; n < 0.3 * DEAD; n++) {
    const at = world.clock.now();
    const heard = await world.clock.complete(world.publish(app, `live${n}`));
    await world.clock.advanceBy(100);
    if (heard.kind === 'accepted' && n % 10 === 0) {
      const msg = heard.id;
      live.push(at);
      await world.until(() => statusOf(msg) === 'delivered', 10 * SECOND_MS, 100);
      expect(world.clock.now() - at).toBeLessThan(5 * SECOND_MS);
    }
    if (dead.every(each => statusOf(each) === 'delivered')) break;
  }
  const took = world.clock.now() - begun;
  expect(dead.filter(msg => statusOf(msg) !== 'delivered')).toEqual([]);
  // 1,000 in less than 30 s; a million at the pace of ten thousand in less than six hours.
  expect(took).toBeLessThan(DEAD === 1_000 ? 30 * SECOND_MS : DEAD * (21_600 / 1e6) * SECOND_MS);
  if (isLongRun()) process.stdout.write(`${DEAD} replayed in ${took / SECOND_MS} s\n`);
  // Not faster than its rate, either.
  expect(took).toBeGreaterThan(((DEAD - 100) / 50) * SECOND_MS);
  expect(live.length).toBeGreaterThan(10);
  world.stop();
}, 1_200_000);

it.each([
  // Ours, and that of the session at its end.
  [3, 2],
  // And after each 25 rows.
  [60, 4],
])('of a job of %i rows: the session asks for what comes next, %i times or more with ours', async (rows, asks) => {
  let refuses = true;
  const world = new OutboundWorld({ waits: [1], publishes: 'direct', idleMs: 500 });
  world.tending = false;
  const app = await world.createApplication();
  const ep = await world.createEndpoint(app, () => answered(refuses ? 422 : 200));
  world.start();
  const heard = await Promise.all(
    Array.from({ length: rows }, (_, n) => world.clock.complete(world.publish(app, `k${n}`))),
  );
  const dead = heard.flatMap(each => (each.kind === 'accepted' ? [each.id] : []));
  const all = (status: string) => dead.every(msg => world.record(ep, world.message(msg))?.status === status);
  await world.until(() => all('dead'), 60 * SECOND_MS);
  refuses = false;
  const asked: string[] = [];
  const send = world.jobs.send.bind(world.jobs);
  world.jobs.send = (body, options) => {
    asked.push(body);
    return send(body, options);
  };
  const job = runningReplayJob(app, world.clock.now(), 50);
  await startReplayJob(world.store, job);
  const ask = JSON.stringify({ v: 1, replay: job.id });
  await world.jobs.send(ask);
  await world.until(() => all('delivered'), 60 * SECOND_MS);
  await world.clock.advanceBy(5 * SECOND_MS);
  expect(asked.filter(body => body === ask).length).toBeGreaterThanOrEqual(asks);
  world.stop();
});
