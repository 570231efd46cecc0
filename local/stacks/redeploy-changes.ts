/** `npm start -- --watch`: what was edited runs a moment later. */
import { basename, extname, join } from 'node:path';
import type { LocalAws } from '#local/emulator/emulator.ts';
import { watchProject } from '#local/project/watch-project.ts';
import { type Progress, paint } from '#local/shell/progress.ts';
import { runCommand } from '#local/shell/run-command.ts';
import { PACKAGE_ROOT, PROJECT_ROOT } from '#local/shell/workspace.ts';
import { updateHandlers } from './update-handlers.ts';

interface Watched {
  readonly aws: LocalAws;
  readonly environment: string;
  /** Of the process function. */
  readonly functionName: string;
}

/**
 * A changed handler goes into its function at once. Anything that changes the stacks is deployed as `npm run deploy -- local`
 * does. What does not compile is said, and what ran before goes on.
 */
export function redeployChanges(
  { aws, environment, functionName }: Watched,
  progress: Progress,
  signal: AbortSignal,
): void {
  watchProject(
    PROJECT_ROOT,
    async (change, paths) => {
      const startedAt = performance.now();
      const names = paths.map(path => basename(path)).join(', ');
      try {
        if (change === 'stacks') await deployAgain(aws, environment);
        else await updateHandlers(aws, environment, functionName);
        const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
        progress.line(`  ${paint('green', '↻')} ${names} runs here now ${paint('dim', `(${seconds} s)`)}`);
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error);
        progress.line(`  ${paint('red', '↻')} ${names} does not run: what was there before goes on\n${said}`);
      }
    },
    signal,
  );
}

async function deployAgain(aws: LocalAws, environment: string): Promise<void> {
  const program = join(PACKAGE_ROOT, `bin/holdfast${extname(import.meta.filename)}`);
  const env = { ...process.env, HOLDFAST_PORT: new URL(aws.endpoint).port };
  const { code, output } = await runCommand(process.execPath, [program, 'deploy', environment], {
    env,
    cwd: PROJECT_ROOT,
  });
  if (code !== 0) throw new Error(output.trim().split('\n').slice(-12).join('\n'));
}
