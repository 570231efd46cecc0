/** What a person who watches a bulk replay reads while it runs. */
import { expect, it } from 'vitest';
import type { EpochMs } from '#core/glossary.ts';
import { createReplayJob, type ReplayJob, readReplayJob, writeJob } from '#core/inbound/replay/replay-job.ts';
import { CliWorld } from './cli-world.ts';

it('tells what was not replayed, and the time left by what the job makes', async () => {
  const cli = new CliWorld();
  const { clock } = cli.world;
  const { control } = cli.gateway;
  const now = clock.now();
  const filter = { sources: [], since: now - 1, until: now };
  const request = { filter, ratePerSecond: 50, expected: 2_400, by: 'ada', why: 'schema fixed' };
  const { id } = await clock.complete(createReplayJob(request, cli.gateway));
  const change = async (more: Partial<ReplayJob>): Promise<void> => {
    const found = await readReplayJob(id, control);
    if (found) await writeJob({ ...found.job, ...more }, found.version, control);
  };
  const after = (ms: EpochMs, replayed: number, more: Partial<ReplayJob> = {}): void => {
    const counts = { replayed, changed: 3, running: 0, gone: 0, body_missing: 0 };
    clock.after(ms, () => void change({ taken: replayed + 103, counts, ...more }));
  };
  after(6_500, 97, { begunAt: now + 2_000 });
  after(18_500, 197);
  after(28_500, 2_397, { state: 'done' });
  const { code, stdout, stderr } = await cli.run(['replay', 'ls', id, '--watch']);
  expect(stderr.split('\n')).toEqual([
    'Replaying [........................] 0/2400 has not begun, 5 s after it was started',
    'Replaying [#.......................] 100/2400 3 not replayed, about 46 s left',
    'Replaying [#.......................] 100/2400 waiting for the sweeper (once a minute)',
    'Replaying [##......................] 200/2400 3 not replayed, about 5 min left',
    'Replaying [##......................] 200/2400 3 not replayed, about 7 min left',
    'Replaying [########################] 2400/2400 done',
    expect.stringContaining('Next: '),
    '',
  ]);
  expect(stdout).toContain('Done: 2397 replayed; it began after 2 s\n  not replayed: 3 changed meanwhile');
  expect(code).toBe(5);
});
