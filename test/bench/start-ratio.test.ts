import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readNumbers } from '#bench/report/page.ts';
import { measureFastRatio } from '#bench/start/start-ratio.ts';
import { buildBundles } from '#test/kit/bundles.ts';
import { isLongRun } from '#test/kit/long-run.ts';

// On a machine busy with other suites even the fastest of a few starts is slow: only a run of its own tells.
it.skipIf(!isLongRun())('the start ratio of ingest is within a tenth of the published one', async () => {
  const published = readNumbers()['a']?.['startFast'];
  expect(published).toBeGreaterThan(1);
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-start-'));
  try {
    const { ingest } = await buildBundles(folder, ['ingest']);
    expect(await measureFastRatio(ingest, 15)).toBeLessThanOrEqual(1.1 * (published as number));
  } finally {
    await rm(folder, { recursive: true });
  }
});
