import { join } from 'node:path';

/** The repository's root. */
export const REPO_ROOT = join(import.meta.dirname, '..');

/** Everything that local runs leave behind; ignored by git and safe to delete. */
export const HOLDFAST_DIRECTORY = join(REPO_ROOT, '.holdfast');

/** Where one local AWS keeps its state: by port, so that two can run side by side. */
export function localDirectory(port: number): string {
  return join(HOLDFAST_DIRECTORY, `local-${port}`);
}
