/** A file that only its owner can read, and that is there whole or not at all. */
import { closeSync, existsSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { OperatorError, usageError } from './cli-error.ts';

const OWNER_ALONE = 0o600;

/** Of an export that is stopped. */
export const NO_FILE = 'There is no file. Run it again: it begins anew.';

/** Throws OperatorError (usage) where a file is there already. */
export function mustBeNew(path: string): void {
  if (existsSync(path)) throw usageError(`${path} is there already`, 'the name of a new file', 'give another name');
}

/** Writes what comes. Throws OperatorError (usage) where a file is there already, or none can be made. */
export async function writeNewFile(path: string, parts: AsyncIterable<string> | Iterable<string>): Promise<void> {
  mustBeNew(path);
  const unfinished = `${path}.part`;
  const file = create(unfinished);
  try {
    // A write may take a part of it only.
    for await (const part of parts)
      for (let rest = Buffer.from(part); rest.length > 0; ) rest = rest.subarray(writeSync(file, rest));
    renameSync(unfinished, path);
  } finally {
    closeSync(file);
    rmSync(unfinished, { force: true });
  }
}

/** Writes the file that `first` belongs to, which is there already and goes with it if it cannot be written. */
export async function writeAfter(first: string | undefined, ...file: Parameters<typeof writeNewFile>): Promise<void> {
  try {
    await writeNewFile(...file);
  } catch (error) {
    if (first !== undefined) rmSync(first, { force: true });
    throw error;
  }
}

/** What an earlier run left goes first: others may be able to read it. */
function create(path: string): number {
  try {
    rmSync(path, { force: true });
    return openSync(path, 'wx', OWNER_ALONE);
  } catch (cause) {
    throw new OperatorError(`Cannot write ${path}: ${(cause as Error).message}`, 'usage', { cause });
  }
}
