import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '#local/shell/workspace.ts';

/** What a script prints comes sooner on any machine; a test that waits longer hides what is missing. */
const OUTPUT_LIMIT_MS = 120_000;

/** A script of local/ as a running process, with what it printed so far. */
export interface Run {
  readonly child: ChildProcess;
  readonly exitCode: Promise<number | null>;
  stdout(): string;
  stderr(): string;
  /** Rejects, with what was printed, when it does not come within two minutes. */
  waitForOutput(pattern: RegExp): Promise<void>;
}

/** Runs `local/<name>.ts`, or `holdfast prove`, with these arguments, of this repository or of another copy of it. */
export function runScript(
  name: 'start' | 'deploy' | 'drill' | 'prove',
  args: readonly string[],
  options: { root?: string; env?: Readonly<Record<string, string>> } = {},
): Run {
  const root = options.root ?? PACKAGE_ROOT;
  const { AWS_ENDPOINT_URL: _endpoint, HOLDFAST_PORT: _port, ...env } = process.env;
  const program = name === 'prove' ? [join(root, 'bin/holdfast.ts'), name] : [join(root, `local/${name}.ts`)];
  const child = spawn(process.execPath, [...program, ...args], {
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
        const end = (): void => {
          clearTimeout(limit);
          child.stdout.removeListener('data', look);
          child.removeListener('close', fail);
        };
        const look = (): void => {
          if (!pattern.test(stdout)) return;
          end();
          resolve();
        };
        const fail = (): void => {
          end();
          const how = child.exitCode === null ? `did not print within ${OUTPUT_LIMIT_MS / 1_000} s` : 'ended before';
          reject(new Error(`${how}: ${pattern}\n${stdout}\n${stderr}`));
        };
        const limit = setTimeout(fail, OUTPUT_LIMIT_MS);
        child.stdout.on('data', look);
        child.once('close', fail);
        look();
      }),
  };
}
