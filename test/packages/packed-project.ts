/** The packages, built, and a project that depends on them, in a folder of the repository that git ignores. */
import { execFile } from 'node:child_process';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildPackages } from '#packages/build.ts';

const run = promisify(execFile);
export const REPOSITORY = join(import.meta.dirname, '../..');

export interface PackedProject {
  readonly folder: string;
  readonly holdfast: string;
  readonly create: string;
  /** Runs Node in a folder; never throws, answers with the exit code and all that was printed. */
  node(
    args: readonly string[],
    cwd?: string,
    env?: NodeJS.ProcessEnv,
  ): Promise<{ readonly code: number; readonly output: string }>;
  remove(): Promise<void>;
}

/** `holdfast` is linked beside the projects; what it and they depend on is found further up, in the repository. */
export async function packProject(): Promise<PackedProject> {
  const folder = join(REPOSITORY, `.holdfast/packed-${process.pid}`);
  const { holdfast, create } = await buildPackages({ folder, declarations: false });
  await mkdir(join(folder, 'node_modules'));
  await symlink(holdfast, join(folder, 'node_modules/holdfast'), 'dir');
  return {
    folder,
    holdfast,
    create,
    remove: () => rm(folder, { recursive: true, force: true }),
    node: async (args, cwd = folder, more = {}) => {
      const { PATH = '', HOME = '' } = process.env;
      const ran = await run(process.execPath, [...args], { cwd, env: { PATH, HOME, NO_COLOR: '1', ...more } }).catch(
        (error: unknown) => error as { code: number; stdout: string; stderr: string },
      );
      return { code: 'code' in ran ? Number(ran.code) : 0, output: ran.stdout + ran.stderr };
    },
  };
}
