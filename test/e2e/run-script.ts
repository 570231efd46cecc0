import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '#local/workspace.ts';

/** A script of local/ as a running process, with what it printed so far. */
export interface Run {
  readonly child: ChildProcess;
  readonly exitCode: Promise<number | null>;
  stdout(): string;
  stderr(): string;
  waitForOutput(pattern: RegExp): Promise<void>;
}

/** Runs `local/<name>.ts` with these arguments, of this repository or of another copy of it. */
export function runScript(
  name: 'start' | 'deploy' | 'drill',
  args: readonly string[],
  options: { root?: string; env?: Readonly<Record<string, string>> } = {},
): Run {
  const root = options.root ?? PACKAGE_ROOT;
  const { AWS_ENDPOINT_URL: _endpoint, HOLDFAST_PORT: _port, ...env } = process.env;
  const child = spawn(process.execPath, [join(root, `local/${name}.ts`), ...args], {
    cwd: root,
    env: { ...env, NO_COLOR: '1', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', chunk => (stdout += String(chunk)));
  child.stderr.on('data', chunk => (stderr += String(chunk)));
  const exitCode = new Promise<number | null>(resolve => child.once('close', resolve));
  return {
    child,
    exitCode,
    stdout: () => stdout,
    stderr: () => stderr,
    waitForOutput: pattern =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!pattern.test(stdout)) return;
          child.stdout.removeListener('data', look);
          resolve();
        };
        child.stdout.on('data', look);
        child.once('close', () => reject(new Error(`ended before printing ${pattern}:\n${stdout}\n${stderr}`)));
        look();
      }),
  };
}
