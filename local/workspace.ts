import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from './user-error.ts';

/** The repository's root. */
export const REPO_ROOT = join(import.meta.dirname, '..');

/** Everything that local runs leave behind; ignored by git and safe to delete. */
export const HOLDFAST_DIRECTORY = join(REPO_ROOT, '.holdfast');

/** Where one local AWS keeps its state: by port, so that two can run side by side. */
export function localDirectory(port: number): string {
  return join(HOLDFAST_DIRECTORY, `local-${port}`);
}

/** Creates a folder of local runs. Throws UserError when it cannot be written to. */
export async function makeWritable(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
  } catch (error) {
    throw new UserError(
      `${directory} cannot be written to (${(error as NodeJS.ErrnoException).code}). Local runs keep everything there: make it writable, or start from a copy of the repository where you may write.`,
    );
  }
}
