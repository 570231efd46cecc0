import { type ChildProcess, spawn } from 'node:child_process';
import { PROJECT_ROOT } from './workspace.ts';

export interface CommandResult {
  /** Exit code; 127 when the command could not be started, 128 when a signal ended it. */
  readonly code: number;
  /** stdout and stderr, in order of arrival. */
  readonly output: string;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill();
});

/** Runs a command, in the repository unless told otherwise, and collects its output. Never throws; a missing command has code 127. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; onLine?: (line: string) => void } = {},
): Promise<CommandResult> {
  return new Promise(resolve => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? PROJECT_ROOT,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    let output = '';
    let rest = '';
    const onData = (chunk: Buffer): void => {
      const text = chunk.toString('utf8');
      output += text;
      if (!options.onLine) return;
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) options.onLine(line);
    };
    child.stdout.on('data', onData);
    child.stderr.on('data', onData);
    child.once('error', error => {
      running.delete(child);
      resolve({ code: 127, output: error.message });
    });
    child.once('close', code => {
      running.delete(child);
      resolve({ code: code ?? 128, output });
    });
  });
}
