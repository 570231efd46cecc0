/** `holdfast events ls` with a rare status never shows an empty page without saying how far it looked. */
import { expect, it } from 'vitest';
import { MINUTE_MS, toHour } from '#core/time.ts';
import { makeEventItem } from '#test/adapters/contracts/event-item-fixture.ts';
import { CliWorld } from './cli-world.ts';

/** Completed events of one source, a second apart, the newest now; the first one was rejected. */
async function worldOf(count: number): Promise<CliWorld> {
  const cli = new CliWorld();
  const now = cli.world.clock.now();
  for (let n = 0; n < count; n++) {
    // A partition of the timeline takes a thousand units a second.
    if (n % 500 === 0) await cli.world.clock.advanceBy(1_000);
    const receivedAt = now - (count - n) * 1_000;
    const place = { receivedAt, timelineHour: `pay#${toHour(receivedAt)}`, timelineAt: `${receivedAt}#key-${n}` };
    const ended = { status: n === 0 ? 'rejected' : 'completed', completedAt: receivedAt } as const;
    await cli.gateway.store.insert(makeEventItem('pay', `key-${n}`, { ...place, ...ended }));
  }
  await cli.world.clock.advanceBy(MINUTE_MS);
  return cli;
}

it('looks past three pages of others for the one that matches', async () => {
  const cli = await worldOf(1_700);
  const { stdout } = await cli.run(['events', 'ls', '--status', 'rejected', '--since', '2h']);
  expect(stdout).toContain('rejected');
});

it('says how far it looked where nothing matches', async () => {
  const cli = await worldOf(3);
  const { stderr } = await cli.run(['events', 'ls', '--status', 'dead_letter', '--since', '2h']);
  expect(stderr).toMatch(
    /No events match: everything since \S+Z was looked at\. Try a longer --since, or fewer filters\./,
  );
});
