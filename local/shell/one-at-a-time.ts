import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { UserError } from './user-error.ts';

const LOOK_MS = 200;
/** A start on a busy machine takes one minute. */
const PATIENCE_MS = 5 * 60_000;
const held = new Set<string>();

/**
 * Does the work while no other process does any under the same lock file. A lock whose process is gone is taken over.
 * `onWait` is told once who is waited for. Throws UserError after `patienceMs` (ms) of waiting.
 */
export async function oneAtATime<T>(
  path: string,
  work: () => Promise<T>,
  { onWait = () => undefined, patienceMs = PATIENCE_MS }: { onWait?: (pid: number) => void; patienceMs?: number } = {},
): Promise<T> {
  const deadline = Date.now() + patienceMs;
  let told = 0;
  while (!(await take(path))) {
    const pid = Number(await readFile(path, 'utf8').catch(() => ''));
    if (pid > 0 && !isAtWork(pid, path)) {
      await rm(path, { force: true });
      continue;
    }
    if (told !== pid) onWait(pid);
    told = pid;
    if (Date.now() > deadline) {
      throw new UserError(
        `Process ${pid} has held ${path} for ${Math.round(patienceMs / 60_000)} minutes. End it; if it has nothing to do with Holdfast, delete the file.`,
      );
    }
    await wait(LOOK_MS);
  }
  try {
    return await work();
  } finally {
    held.delete(path);
    await rm(path, { force: true });
  }
}

async function take(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' });
    held.add(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** In a container the process before us may have had our own id. */
function isAtWork(pid: number, path: string): boolean {
  return pid === process.pid ? held.has(path) : isRunning(pid);
}

/** True when a process of this id is there, ours or not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
