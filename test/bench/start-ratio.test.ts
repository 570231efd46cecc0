import { expect, it } from 'vitest';
import { SLACK } from '#bench/judge/verdict.ts';
import { readNumbers } from '#bench/report/page.ts';
import { measureStart } from '#bench/start/start-ratio.ts';
import { isLongRun } from '#test/kit/long-run.ts';

// On a machine busy with other suites a start is slow: only a run of its own tells.
it.skipIf(!isLongRun())('the start ratio of ingest is the published one, as a judge has it', async () => {
  const published = readNumbers()['a']?.['primed'] ?? 0;
  expect(published).toBeGreaterThan(1);
  const { numbers = {} } = await measureStart({ quick: true, say: () => undefined, known: () => undefined });
  expect(numbers['primed']).toBeLessThanOrEqual(SLACK.ratio * published);
});
