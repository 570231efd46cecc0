/** The same six minutes in a project that was made from the tarballs: what is packed there is what people run. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { MINUTE_MS } from '#core/time.ts';
import { findPython } from '#local/emulator/python.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { makeTarballs } from '#test/packages/tarballs.ts';
import { POISON } from './traffic.ts';
import { watchIdle, watchTraffic } from './watch.ts';
import type { Place } from './watched-start.ts';

const python = await findPython();

describe.skipIf(!python || !isLongRun())(
  'watched in a project from the tarballs, npm start',
  { concurrent: true },
  () => {
    let folder: string;
    let project: Place;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'holdfast-watched-'));
      const { holdfast, create } = await makeTarballs(folder);
      const run = promisify(execFile);
      await run('node', [create, 'watched', '--providers', 'stripe,github', '--holdfast', `file:${holdfast}`], {
        cwd: folder,
      });
      const cwd = join(folder, 'watched');
      await run('npm', ['install', '--silent'], { cwd });
      await refusePoison(join(cwd, 'handlers/stripe.ts'));
      const program = join(cwd, 'node_modules/holdfast/dist/bin/holdfast.js');
      project = { cwd, start: [program, 'start'], holdfast: [program] };
    }, 5 * MINUTE_MS);
    // A project with its packages, on a machine that does much else.
    afterAll(() => rm(folder, { recursive: true, force: true }), 2 * MINUTE_MS);

    it('idle: no alarm, no line of level error', () => watchIdle(project), 15 * MINUTE_MS);
    it(
      'with traffic: exactly the alarms that are due, in time, and OK again',
      () => watchTraffic(project),
      15 * MINUTE_MS,
    );
  },
);

/** The handler of a new project takes every event. */
async function refusePoison(handler: string): Promise<void> {
  const text = await readFile(handler, 'utf8');
  const refusal = `if (event.id.endsWith('${POISON}')) throw new PermanentError('it can never be taken');\n  `;
  const changed = text
    .replace("handlerEnv } from 'holdfast'", "handlerEnv, PermanentError } from 'holdfast'")
    .replace('// Written in one', `${refusal}// Written in one`);
  if (!changed.includes(refusal) || !changed.includes('PermanentError }'))
    throw new Error(`${handler} is not as expected`);
  await writeFile(handler, changed);
}
