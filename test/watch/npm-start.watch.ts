/**
 * `npm start` of this checkout for six minutes, idle and with traffic, and beside it all drills, each to its last line.
 * They mostly wait: each has a local AWS of its own, and the drills begin when both runs of `npm start` are open.
 */
import { readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '#core/time.ts';
import { findPython } from '#local/emulator/python.ts';
import { PACKAGE_ROOT } from '#local/shell/workspace.ts';
import { runScript } from '#test/e2e/run-script.ts';
import { freePort } from '#test/kit/servers/free-port.ts';
import { POSSIBLE_BESIDE_OTHERS } from './traffic.ts';
import { watchIdle, watchTraffic } from './watch.ts';
import type { Place } from './watched-start.ts';

const python = await findPython();
const DRILL_LIMIT_MS = 15 * MINUTE_MS;
const CHECKOUT: Place = {
  cwd: PACKAGE_ROOT,
  start: [join(PACKAGE_ROOT, 'local/start.ts')],
  holdfast: [join(PACKAGE_ROOT, 'bin/holdfast.ts')],
};
/** `npm run record:drills`: what they showed becomes the recordings beside this file. */
const RECORDS = process.env['HOLDFAST_RECORD'] === '1';
/** The longest first. */
const DRILLS = ['processor-down', 'backlog', 'bad-secret', 'dead-letter', 'silent-source'];

const [idle, busy] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];

describe.skipIf(!python)('watched for six minutes, npm start', { concurrent: true }, () => {
  it('idle: no alarm, no line of level error', () => watchIdle(CHECKOUT, idle.resolve), 20 * MINUTE_MS);
  it(
    'with traffic: exactly the alarms that are due, in time, and OK again; every job ends',
    () => watchTraffic(CHECKOUT, busy.resolve, POSSIBLE_BESIDE_OTHERS),
    20 * MINUTE_MS,
  );

  it.each(DRILLS)(
    'and npm run drill -- %s comes to its last line',
    async name => {
      await Promise.all([idle.promise, busy.promise]);
      const write = RECORDS ? ['--write'] : [];
      const run = runScript('drill', [name, '--port', String(await freePort()), ...write]);
      // What is watched has the cores first: the drills wait for alarms, whenever they come.
      if (run.child.pid !== undefined) setPriority(run.child.pid, 10);
      const limit = setTimeout(() => run.child.kill('SIGINT'), DRILL_LIMIT_MS);
      const code = await run.exitCode;
      clearTimeout(limit);
      expect(code, run.stdout() + run.stderr()).toBe(0);
      expect(stepsPrinted(run.stdout())).toEqual(await stepsRecorded(name));
      expect(run.stdout().trimEnd()).toMatch(new RegExp(`The drill ${name} showed everything it should\\.$`));
    },
    20 * MINUTE_MS,
  );
});

/** What a drill said it does, step by step, without its numbers. */
function stepsPrinted(stdout: string): readonly string[] {
  return [...stdout.matchAll(/^(.+) \+\d+ s$/gm)].map(([, step = '']) => step.replaceAll(/\d+/g, 'N'));
}

/** The same of its recording. */
async function stepsRecorded(name: string): Promise<readonly string[]> {
  const page = await readFile(join(PACKAGE_ROOT, 'test/watch/drills', `${name}.txt`), 'utf8');
  return [...page.matchAll(/^\*\*\+\d+ s\*\* (.+)$/gm)].map(([, step = '']) => step.replaceAll(/\d+/g, 'N'));
}
