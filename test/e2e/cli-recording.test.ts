import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPython } from '#local/python.ts';
import { isLongRun } from '#test/support/long-run.ts';
import { BEGIN, END, recordCli, wordsIn } from './cli-recording.ts';
import { GatewayUnderTest } from './gateway-under-test.ts';
import { reportMissingPython } from './needs-python.ts';

const python = isLongRun() ? await findPython() : undefined;
if (isLongRun()) reportMissingPython(python);

describe.skipIf(!python)('the recording in docs/cli.md', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await GatewayUnderTest.start();
  }, 180_000);
  afterAll(() => gateway?.stop());

  it('is what the commands print', async () => {
    const [, shown = ''] = readFileSync('docs/cli.md', 'utf8').split(BEGIN);
    const recorded = (shown.split(END)[0] ?? '').replace(/^\s*```console\n|\n```\s*$/g, '');
    expect(wordsIn(await recordCli(gateway)), 'npm run docs:cli writes it anew').toEqual(wordsIn(recorded));
  }, 400_000);
});
