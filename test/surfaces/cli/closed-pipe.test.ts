import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

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
  process.exit(io.interrupted.aborted ? 10 + done : done);
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
