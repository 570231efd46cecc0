import { constants, existsSync } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UserError } from './user-error.ts';

/** Where Holdfast itself is: this repository, or `node_modules/holdfast`. */
export const PACKAGE_ROOT = join(import.meta.dirname, '../..');

/**
 * The project that is run: the nearest folder, from the current one up, with a gateway.config.ts. Where there is none, the
 * package itself, which has one in this repository.
 */
export const PROJECT_ROOT = findProject(process.cwd()) ?? PACKAGE_ROOT;

/** The environment of gateway.config.ts that `npm start` runs. */
export const LOCAL_ENVIRONMENT = 'local';
/** The one that `npm run drill` rehearses incidents in. */
export const DRILL_ENVIRONMENT = 'drill';

/** On the stacks of an environment that `holdfast prove` made, and on no other. */
export const PROVE_TAG = 'holdfast:prove';

/** Everything that local runs leave behind; ignored by git and safe to delete. */
export const HOLDFAST_DIRECTORY = join(PROJECT_ROOT, '.holdfast');

function findProject(folder: string): string | undefined {
  if (existsSync(join(folder, 'gateway.config.ts'))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : findProject(above);
}

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
      `${directory} cannot be written to (${(error as NodeJS.ErrnoException).code}). Local runs keep everything there: make it writable, or start from a copy of the project where you may write.`,
    );
  }
}
