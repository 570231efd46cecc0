/** Which attempts are kept in full: those that failed, or all of them; and which are counted as first ones. */
import { expect, it } from 'vitest';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import type { AttemptItem } from '#core/outbound/protocol/items.ts';
import { MINUTE_MS } from '#core/time.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';

/** One message that is throttled, refused, and taken. */
async function logOf(attemptLog: 'failures' | 'all'): Promise<readonly AttemptItem[]> {
  const world = new OutboundWorld({ waits: [5, 60], attemptLog, idleMs: 500 });
  world.start();
  const app = await world.createApplication();
  const answers = [429, 422, 200];
  const ep = await world.createEndpoint(app, () => answered(answers.shift() ?? 500, {}, 'said'));
  const heard = await world.clock.complete(world.publish(app, 'k1'));
  if (heard.kind !== 'accepted') throw new Error('refused');
  const message = world.message(heard.id);
  expect(await world.until(() => world.record(ep, message)?.status === 'delivered', 20 * MINUTE_MS)).toBe(true);
  world.stop();
  const log = world.items('outbox', 'T#') as unknown as readonly AttemptItem[];
  return log.toSorted((a, b) => a.at - b.at);
}

it('keeps charged failures and the first throttled one by default', async () => {
  expect((await logOf('failures')).map(({ code, kind }) => [code, kind])).toEqual([
    [429, 'throttled'],
    [422, 'delivery'],
  ]);
});

it('keeps each attempt with its answer where all are asked for', async () => {
  const log = await logOf('all');
  expect(log.map(({ code }) => code)).toEqual([429, 422, 200]);
  for (const { answerBody } of log) expect(answerBody?.length).toBeGreaterThan(0);
});

it('counts the first attempt of a delivery once: not each 429 before it, and no repetition that is not charged', async () => {
  const telemetry = new MemoryTelemetry();
  const world = new OutboundWorld({ waits: [5, 60], idleMs: 500, telemetry });
  world.start();
  const app = await world.createApplication();
  const answers = [answered(429), answered(429), answered(429), answered(500)];
  await world.createEndpoint(app, () => answers.shift() ?? answered(200));
  await world.clock.complete(world.publish(app, 'k1'));
  await world.clock.advanceBy(20 * MINUTE_MS);
  world.stop();
  expect(telemetry.total('DeliveryAttempts')).toBe(5);
  expect([telemetry.total('FirstAttempts'), telemetry.total('FirstAttemptsOk')]).toEqual([1, 0]);
  expect(telemetry.total('DeliveryRetries')).toBe(1);
});
