/** Several programs on one local AWS: who starts it, who deploys to it, and what they learn of its end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLocalAws } from '#local/emulator/emulator.ts';
import { hasEnded, watchEnd } from '#local/emulator/has-ended.ts';
import { findPython, removeAbandonedDrafts } from '#local/emulator/python.ts';
import { oneAtATime } from '#local/shell/one-at-a-time.ts';
import { makeWritable } from '#local/shell/workspace.ts';
import { freePort } from '#test/kit/servers/free-port.ts';
import { reportMissingPython } from './needs-python.ts';

const python = await findPython();
reportMissingPython(python);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-shared-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.skipIf(!python)('of two that start at once, one starts and one joins; both learn that it has ended', async () => {
  const port = await freePort();
  const both = await Promise.all([openLocalAws(port, {}), openLocalAws(port, {})]);
  expect(both.map(aws => aws.origin).sort()).toEqual(['shared', 'started']);
  expect(await Promise.all(both.map(hasEnded))).toEqual([false, false]);

  await Promise.all(both.map(aws => aws.stop()));
  expect(await Promise.all(both.map(hasEnded))).toEqual([true, true]);
  const joined = both.find(aws => aws.origin === 'shared') ?? both[0];
  const following = watchEnd(joined, AbortSignal.timeout(5_000));
  await expect(following).rejects.toThrow(/has ended\. It belonged to another npm start/);
  await rm(joined.directory, { recursive: true, force: true });
});

async function pidOfTheDead(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

describe('one at a time', () => {
  it('the second waits for the first, and is told for whom', async () => {
    const lock = join(folder, 'two.lock');
    const order: string[] = [];
    const waited: number[] = [];
    const first = oneAtATime(lock, async () => {
      await expect.poll(() => waited).toEqual([process.pid]);
      order.push('first');
    });
    const second = oneAtATime(lock, async () => order.push('second'), { onWait: pid => waited.push(pid) });
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
  });

  it('a lock is given back after a failure, and taken over when its process is gone or had our id', async () => {
    const lock = join(folder, 'stale.lock');
    await expect(oneAtATime(lock, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    for (const pid of [await pidOfTheDead(), process.pid]) {
      await writeFile(lock, String(pid));
      expect(await oneAtATime(lock, () => readFile(lock, 'utf8'))).toBe(String(process.pid));
    }
  });

  it('says whom it has waited for in vain', async () => {
    const lock = join(folder, 'others.lock');
    await writeFile(lock, '1');
    const waiting = oneAtATime(lock, () => Promise.resolve(), { patienceMs: 0 });
    await expect(waiting).rejects.toThrow(`Process 1 has held ${lock} for 0 minutes. End it`);
  });
});

it('removes half an installation when its process is gone, and nothing else', async () => {
  const kept = ['bundles', 'emulator-0123456789ab', `emulator-0123456789ab.${process.pid}`];
  const root = join(folder, 'holdfast');
  for (const name of [...kept, `emulator-0123456789ab.${await pidOfTheDead()}`]) {
    await mkdir(join(root, name, 'bin'), { recursive: true });
  }
  await removeAbandonedDrafts(root);
  expect((await readdir(root)).sort()).toEqual(kept);
});

it('names a folder that cannot be written to', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  await expect(makeWritable(join(file, 'local'))).rejects.toThrow(
    `${join(file, 'local')} cannot be written to (ENOTDIR)`,
  );
});
