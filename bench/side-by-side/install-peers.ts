/** The packages of the peers: `npm ci` in a folder of their own, so that nobody installs them who runs no benchmark. */
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs what `package-lock.json` in `folder` names, unless it is there already. Throws with npm's own words when npm
 * fails. A run that was cut off is repeated: npm writes its own record last.
 */
export async function installPeers(folder: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const record = join(folder, 'node_modules/.package-lock.json');
  const changedMs = (file: string): number => statSync(file).mtimeMs;
  if (existsSync(record) && changedMs(record) >= changedMs(join(folder, 'package-lock.json'))) return;
  const npm = spawn('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let words = '';
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk: Buffer) => (words += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    npm.once('error', reject);
    npm.once('close', resolve);
  });
  if (code !== 0) throw new Error(`npm ci in ${folder} ended with ${code}. It said:\n${words.trim()}`);
}
