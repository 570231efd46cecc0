/** Both packages as they would be published: tarballs, and what `npm create holdfast` runs, unpacked. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildPackages } from '#packages/build.ts';

export interface Tarballs {
  /** Of `holdfast`. */
  readonly holdfast: string;
  /** The program that makes a project; an argument of Node. */
  readonly create: string;
}

/** Into a folder, in a minute. */
export async function makeTarballs(folder: string): Promise<Tarballs> {
  const run = async (command: string, ...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(command, [...args], { cwd: folder })).stdout.trim();
  const built = await buildPackages({ folder: join(folder, 'packages') });
  const holdfast = join(folder, await run('npm', 'pack', '--silent', built.holdfast));
  await run('tar', 'xzf', await run('npm', 'pack', '--silent', built.create));
  return { holdfast, create: join(folder, 'package/dist/main.js') };
}
