/** An endpoint holds one slot at a time; two after a lost lease, until that session ends. */
import { expect, it } from 'vitest';
import { SECOND_MS } from '#core/time.ts';
import { answered, OutboundWorld, type OutboundWorldOptions } from '#test/kit/outbound-world.ts';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';

/** One endpoint that never answers, a message each second for five minutes: how many runs there were at each look. */
async function slotsOf(options: OutboundWorldOptions): Promise<readonly number[]> {
  const world = new OutboundWorld({ idleMs: SECOND_MS, publishes: 'direct', ...options });
  const { clock } = world;
  const app = await world.createApplication();
  await world.createEndpoint(app, () => clock.sleep(60 * SECOND_MS).then(() => answered(200)));
  world.start();
  const seen: number[] = [];
  for (let second = 0; second < 300; second++) {
    await clock.complete(world.publish(app, `k${second}`), SECOND_MS);
    for (let look = 0; look < 4; look++) {
      await clock.advanceBy(SECOND_MS / 4);
      seen.push(world.functions['drain-fast'].running + world.functions['drain-slow'].running);
    }
  }
  world.stop();
  return seen;
}

// Holds O12.
it('one that hangs holds one slot, however many messages come for it', async () => {
  const seen = await slotsOf({});
  expect(Math.max(...seen)).toBe(1);
  // And most of the time none: its breaker is open.
  expect(seen.filter(each => each === 0).length).toBeGreaterThan(seen.length / 2);
  recordRun(['O12'], 'slots', seen.length);
});

// Holds O12.
it('after a session froze for longer than its lease there are two, until it ends', async () => {
  let calls = 0;
  const seen = await slotsOf({
    // The drainer's tenth call takes five minutes.
    planOf: role => (role.startsWith('drain') ? () => (++calls === 10 ? 'stall' : undefined) : undefined),
    processOf: () => ({ stallMs: 90 * SECOND_MS }),
  });
  expect(Math.max(...seen)).toBeLessThanOrEqual(2);
  recordRun(['O12'], 'slots', seen.length);
});
