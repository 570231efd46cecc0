/** An operational event that was told is not published again with each audit: its row would lie there again, as old as the event. */
import { expect, it } from 'vitest';
import { DependencyError } from '#core/errors.ts';
import type { Job } from '#core/outbound/ports.ts';
import { publishOperational } from '#core/outbound/tend/operational-events.ts';
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import { answered, noAnswer, OutboundWorld } from '#test/kit/outbound-world.ts';
import { producerWorld } from '#test/kit/producer-world.ts';

it('tells of a failing endpoint once an hour, and puts no row again after five minutes', async () => {
  const world = new OutboundWorld({ auditMinutes: 1, publishes: 'direct' });
  const operations = await world.createApplication({ uid: 'operations' });
  const hears = await world.createEndpoint(operations, () => answered(200));
  const app = await world.createApplication();
  for (let n = 0; n < 5; n++) await world.createEndpoint(app, () => noAnswer('connect'));
  world.start();
  for (let n = 0; n < 6; n++) await world.clock.complete(world.publish(app, `k${n}`));
  await world.clock.advanceBy(40 * MINUTE_MS);
  const told = world
    .requestsTo(hears)
    .map(({ body }) => JSON.parse(new TextDecoder().decode(body)) as { type: string });
  expect(told.filter(({ type }) => type === 'endpoint.failing')).toHaveLength(5);
  expect(world.telemetry.total('WakeLost')).toBe(0);
  // Six of a producer's, one of each endpoint and a repetition of it for up to five minutes: not one each minute.
  expect(world.telemetry.total('Published')).toBeLessThan(6 + 5 * 7);
  world.stop();
});

it('tells what a job began to tell and died before it was fanned out, however late it runs again, and not what is told anew', async () => {
  const { call, ports, clock, pass } = producerWorld();
  await call('POST /v1/apps', {}, { name: 'Operations', uid: 'operations' });
  const sent: Job[] = [];
  let isOut = true;
  const send = async (jobs: readonly Job[]): Promise<void> => {
    if (isOut) throw new DependencyError('sqs', 'no answer', { outcome: 'unknown' });
    sent.push(...jobs);
  };
  const tell = (at: number) => {
    const op = { type: 'endpoint.failing', key: 'k', data: { endpoint: 'ep_x', application: 'app_x' }, at };
    return publishOperational({ ...ports, jobs: { send } }, { retentionMs: 30 * DAY_MS }, op);
  };
  const first = clock.now();
  await expect(tell(first)).rejects.toThrow('no answer');
  isOut = false;
  pass(10 * MINUTE_MS);
  await tell(first);
  expect(sent).toHaveLength(1);
  await tell(clock.now());
  expect(sent).toHaveLength(1);
});
