import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { LambdaClient, UpdateFunctionCodeCommand } from '@aws-sdk/client-lambda';
import type { LocalAws } from '#local/emulator/emulator.ts';
import { runCommand } from '#local/shell/run-command.ts';
import { PACKAGE_ROOT, PROJECT_ROOT } from '#local/shell/workspace.ts';
import { forgetDeployedHere } from './deployed-here.ts';
import { type ZippedFile, zip } from './zip.ts';

/**
 * Bundles the project's handlers anew and puts them into the local AWS, past CloudFormation: for a changed handler, whose
 * tables and grants are the same. Throws with the compiler's words when they cannot run; then those before go on.
 */
export async function updateHandlers(aws: LocalAws, environment: string, functionName: string): Promise<void> {
  const program = join(PACKAGE_ROOT, `bin/bundle-handlers${extname(import.meta.filename)}`);
  const args = [program, environment, join(aws.directory, 'watched')];
  // A process of its own reads handlers and configuration as they are now.
  const { code, output } = await runCommand(process.execPath, args, { cwd: PROJECT_ROOT });
  if (code !== 0) throw new Error(output.trim());
  const ZipFile = zip(await filesIn(output.trim().split('\n').at(-1) ?? ''));
  const { endpoint, region, credentials } = aws;
  const client = new LambdaClient({ endpoint, region, credentials, maxAttempts: 3 });
  // CloudFormation would take the stack for unchanged.
  await forgetDeployedHere(aws, environment);
  await client.send(new UpdateFunctionCodeCommand({ FunctionName: functionName, ZipFile }));
  client.destroy();
}

async function filesIn(folder: string): Promise<readonly ZippedFile[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return await Promise.all(
    found
      .filter(each => each.isFile())
      .map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        return { name: path.slice(folder.length + 1).replaceAll('\\', '/'), bytes: await readFile(path) };
      }),
  );
}
