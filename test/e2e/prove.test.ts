/**
 * `holdfast prove --env local`, whole: killed at five places, one after the other, it clears away each time what the run
 * before left, and ends right; beside a gateway of somebody else's it does nothing.
 */
import { rm } from 'node:fs/promises';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '#core/time.ts';
import { createAwsClients } from '#local/emulator/aws-clients.ts';
import { environmentOf, type LocalAws, openLocalAws } from '#local/emulator/emulator.ts';
import { findPython } from '#local/emulator/python.ts';
import { PROBES } from '#local/prove/probes.ts';
import { silentProgress } from '#local/shell/progress.ts';
import { deployStacks } from '#local/stacks/deploy-stacks.ts';
import { reportMissingPython } from '#test/e2e/needs-python.ts';
import { type Run, runScript } from '#test/e2e/run-script.ts';
import { freePort } from '#test/kit/servers/free-port.ts';

const python = await findPython();
reportMissingPython(python);

/** A line of its output, and how long after it the run is killed (ms): in the middle of what comes next. */
const STOPS: readonly (readonly [after: RegExp, ms: number])[] = [
  [/✓ Synthesize and bundle/, 300],
  [/✓ Set what the local AWS drops/, 200],
  [/✓ Send \d+ events/, 3_000],
  [/✓ Break: the role of process/, 4_000],
  [/✓ Publish \d+ messages/, 500],
];

describe.skipIf(!python)('holdfast prove --env local', () => {
  let aws: LocalAws;
  const prove = (): Run => runScript('prove', ['--env', 'local'], { env: environmentOf(aws) });
  const stacks = async (): Promise<readonly string[]> => {
    const { endpoint, region, credentials } = aws;
    const client = new CloudFormationClient({ endpoint, region, credentials });
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({}));
    return Stacks.map(each => each.StackName ?? '').filter(name => name.startsWith('holdfast-'));
  };
  beforeAll(async () => {
    aws = await openLocalAws(await freePort(), {});
  }, 2 * MINUTE_MS);
  afterAll(async () => {
    await aws.stop();
    await rm(aws.directory, { recursive: true, force: true });
  });

  it(
    'loses nothing, does nothing twice, and leaves nothing behind, though it was killed five times before',
    async () => {
      for (const [after, ms] of STOPS) {
        const run = prove();
        await run.waitForOutput(after);
        await expect.poll(stacks, { timeout: MINUTE_MS }).not.toEqual([]);
        await new Promise(resolve => setTimeout(resolve, ms));
        run.child.kill('SIGKILL');
        await run.exitCode;
      }
      const run = prove();
      const code = await run.exitCode;
      const text = run.stdout();
      expect(text).toContain('✓ Remove what an earlier run left');
      expect(text).toContain('✓ Remove what it made');
      expect(text, run.stderr()).toMatch(/held \d+, differs 0, not shown \d+/);
      // What the local AWS cannot show, it says: a throttled table, a policy, two alarms, and what it takes that AWS refuses.
      const { length: others } = PROBES.filter(each => each.locally !== undefined);
      expect(text).toContain(`not shown ${4 + others}\n`);
      expect(code).toBe(0);
      expect(await stacks()).toEqual([]);
    },
    13 * MINUTE_MS,
  );

  it(
    'touches nothing beside a gateway of somebody else',
    async () => {
      await deployStacks(aws, createAwsClients(aws), silentProgress);
      const before = await stacks();
      const run = prove();
      expect(await run.exitCode).toBe(1);
      expect(run.stderr()).toMatch(/^Nothing was changed: .*holdfast-local-gateway.* not made by holdfast prove/);
      expect(run.stdout()).not.toContain('✓');
      expect(await stacks()).toEqual(before);
    },
    3 * MINUTE_MS,
  );
});
