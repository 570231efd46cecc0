/** The programs of the side-by-side run: started on the servers' core, killed without warning, their CPU time read. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The generator has the other one to itself. */
const SERVER_CORE = '0';
const GENERATOR_CORE = '1';
const START_LIMIT_MS = 60_000;
/** Linux: CPU times in /proc count in hundredths of a second. */
const TICKS_PER_SECOND = 100;

export interface Program {
  readonly pid: number;
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>;
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Resolves when the program can be used. */
  readonly ready: () => Promise<boolean>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a program and waits until it is ready. Throws with its last output when it ends or takes a minute. */
export async function startProgram(
  command: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<Program> {
  const child = spawn('taskset', ['-c', SERVER_CORE, command, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: pathVariable(), ...options.env },
  });
  running.add(child);
  let output = '';
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString('utf8')).slice(-4_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const gone = new Promise<void>(resolve => child.once('exit', () => resolve()));
  const startedAt = performance.now();
  while (!(await options.ready())) {
    if (child.exitCode !== null || performance.now() - startedAt > START_LIMIT_MS) {
      child.kill('SIGKILL');
      throw new Error(`${command} ${args.join(' ')} did not start:\n${output}`);
    }
    await sleep(50);
  }
  return {
    pid: child.pid ?? 0,
    async kill() {
      running.delete(child);
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function pathVariable(): string {
  return process.env['PATH'] ?? '/usr/bin:/bin';
}

/** True as soon as something answers HTTP there. */
export async function answersHttp(url: string): Promise<boolean> {
  try {
    await fetch(url, { signal: AbortSignal.timeout(1_000) });
    return true;
  } catch {
    return false;
  }
}

/** Puts a program that was started otherwise on the servers' core. */
export function pinToServers(pid: number): void {
  execFileSync('taskset', ['-a', '-c', '-p', SERVER_CORE, String(pid)], { stdio: 'ignore' });
}
/** Puts this process, the generator, on a core of its own. */
export function pinGenerator(): void {
  execFileSync('taskset', ['-a', '-c', '-p', GENERATOR_CORE, String(process.pid)], { stdio: 'ignore' });
}

/** CPU seconds (user and system) spent so far by these processes, their children, and the children that ended. */
export function cpuSeconds(pids: readonly number[]): number {
  const processes = readdirSync('/proc').flatMap(name => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const [, parent = 0] = fields;
      const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + (fields[at] ?? 0), 0);
      return [{ pid: Number(name), parent, ticks }];
    } catch {
      return [];
    }
  });
  const wanted = new Set(pids);
  for (let before = -1; before !== wanted.size; ) {
    before = wanted.size;
    for (const each of processes) if (wanted.has(each.parent)) wanted.add(each.pid);
  }
  const ticks = processes.filter(it => wanted.has(it.pid)).reduce((sum, it) => sum + it.ticks, 0);
  return ticks / TICKS_PER_SECOND;
}
