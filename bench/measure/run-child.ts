import { spawn } from 'node:child_process';

/** What a measured process tells about itself. */
export interface ChildRun<Told> {
  readonly told: Told;
}

/**
 * Runs a program in a fresh Node process and answers the last line of its output, parsed as JSON. Throws with the
 * program's stderr when it fails.
 */
export async function runChild<Told>(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ChildRun<Told>> {
  const child = spawn(process.execPath, [...args], {
    // Nothing of the caller's environment changes how Node starts.
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  if (code !== 0 || last === '') throw new Error(`A measured process ended with ${code}: ${stderr.slice(-2_000)}`);
  return { told: JSON.parse(last) as Told };
}
