import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { STOPPED } from '#cli/io.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** A command of three steps that prints each, as `replay` does, and says with its exit code how far it came. */
const STEPS = `
  import { processIo } from '#cli/io.ts';
  const io = processIo();
  let done = 0;
  for (const step of ['one', 'two', 'three']) {
    io.stdout.write(step + '\\n');
    await new Promise(resolve => setTimeout(resolve, 20));
    done += 1;
  }
  process.exitCode = process.argv[1] === 'ok' ? 0 : io.interrupted.aborted ? 10 + done : done;
  io.stderr.write('done ' + done);
`;

it('a reader that goes away ends what follows events, and nothing in the middle of its work', async () => {
  const exitCode = (closed: boolean) =>
    new Promise(resolve => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', STEPS], { cwd: ROOT });
      if (closed) child.stdout.destroy();
      child.once('exit', resolve);
    });
  expect(await Promise.all([exitCode(false), exitCode(true)])).toEqual([3, 13]);
});

/** A file of Linux that is always full. */
const FULL = '/dev/full';

it.skipIf(!existsSync(FULL))(
  'a full disk ends nothing in its middle either, is told in one line, and is a failure',
  async () => {
    const full = openSync(FULL, 'w');
    const run = (last: string, stdout: number | 'ignore', stderr: number | 'pipe') =>
      new Promise<{ code: number | null; said: string }>(resolve => {
        const args = ['--input-type=module', '-e', STEPS, last];
        const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', stdout, stderr] });
        let said = '';
        child.stderr?.on('data', data => (said += String(data)));
        child.once('close', code => resolve({ code, said }));
      });
    try {
      expect(await run('ok', full, 'pipe')).toEqual({
        code: 1,
        said: 'Cannot write to stdout: ENOSPC: no space left on device, write\ndone 3',
      });
      // What says more than that it failed stays.
      expect((await run('', full, 'pipe')).code).toBe(13);
      expect((await run('', 'ignore', full)).code).toBe(3);
    } finally {
      closeSync(full);
    }
  },
);

/** Writes until nobody reads, says so, and goes on with its work. */
const WAITING = `
  import { processIo } from '#cli/io.ts';
  const io = processIo();
  io.interrupted.addEventListener('abort', () => io.stderr.write('on\\n'), { once: true });
  setInterval(() => io.interrupted.aborted || io.stdout.write('more'), 10);
`;

it('Ctrl-C after the reader went away says that the rest was not done', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', WAITING], { cwd: ROOT });
  const closed = once(child.stdout, 'data').then(() => child.stdout.destroy());
  let said = '';
  child.stderr.on('data', data => (said += String(data)));
  await closed;
  // Its next write finds nobody.
  await once(child.stderr, 'data');
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  expect({ code, said }).toEqual({ code: 130, said: `on\n${STOPPED}\n` });
});
