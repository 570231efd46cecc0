/**
 * `npm start` of this checkout for six minutes, idle and with traffic, and beside it all drills, each to its last line.
 * They mostly wait: each has a local AWS of its own, and the drills begin when both runs of `npm start` are open.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findPython } from '#local/emulator/python.ts';
import { PACKAGE_ROOT } from '#local/shell/workspace.ts';
import { runScript } from '#test/e2e/run-script.ts';
import { freePort } from '#test/kit/free-port.ts';
import { watchIdle, watchTraffic } from './watch.ts';
import type { Place } from './watched-start.ts';

const python = await findPython();
const MINUTE = 60_000;
const DRILL_LIMIT_MS = 10 * MINUTE;
const CHECKOUT: Place = {
  cwd: PACKAGE_ROOT,
  start: [join(PACKAGE_ROOT, 'local/start.ts')],
  holdfast: [join(PACKAGE_ROOT, 'bin/holdfast.ts')],
};
/** The longest first. */
const DRILLS = ['processor-down', 'backlog', 'bad-secret', 'dead-letter', 'silent-source'];

const [idle, busy] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];

describe.skipIf(!python)('watched for six minutes, npm start', { concurrent: true }, () => {
  it('idle: no alarm, no line of level error', () => watchIdle(CHECKOUT, idle.resolve), 15 * MINUTE);
  it(
    'with traffic: exactly the alarms that are due, in time, and OK again; every job ends',
    () => watchTraffic(CHECKOUT, busy.resolve),
    15 * MINUTE,
  );

  it.each(DRILLS)(
    'and npm run drill -- %s comes to its last line',
    async name => {
      await Promise.all([idle.promise, busy.promise]);
      const run = runScript('drill', [name, '--port', String(await freePort())]);
      const limit = setTimeout(() => run.child.kill('SIGINT'), DRILL_LIMIT_MS);
      const code = await run.exitCode;
      clearTimeout(limit);
      expect(code, run.stdout() + run.stderr()).toBe(0);
      expect(run.stdout().trimEnd()).toMatch(new RegExp(`The drill ${name} showed everything it should\\.$`));
    },
    15 * MINUTE,
  );
});
