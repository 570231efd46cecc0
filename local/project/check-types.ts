/** The type check of a project, before anything of it is deployed: a bundle is made of what does not compile, too. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runCommand } from '#local/shell/run-command.ts';
import { UserError } from '#local/shell/user-error.ts';

/** Throws UserError with what the compiler says. A project without tsconfig.json has no types to check. */
export async function checkTypes(project: string): Promise<void> {
  if (!existsSync(join(project, 'tsconfig.json'))) return;
  // What did not change since the last time is not looked at again.
  const record = ['--incremental', '--tsBuildInfoFile', join(project, '.holdfast/types.tsbuildinfo')];
  const args = [compilerOf(project), '--noEmit', ...record];
  const { code, output } = await runCommand(process.execPath, args, { cwd: project });
  if (code !== 0) throw new UserError(`Nothing was deployed: the types are wrong.\n\n${output.trim()}`);
}

/** The TypeScript of the project. Throws UserError where it has none. */
function compilerOf(project: string): string {
  try {
    const manifest = createRequire(join(project, 'package.json')).resolve('typescript/package.json');
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: { tsc: string } };
    return join(dirname(manifest), bin.tsc);
  } catch (error) {
    throw new UserError(
      `The types of ${project} could not be checked: install TypeScript there (npm install --save-dev typescript). ${error instanceof Error ? error.message : ''}`,
    );
  }
}
