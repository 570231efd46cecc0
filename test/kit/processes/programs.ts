/** The programs of the side-by-side run: started on the servers' core, killed without warning, their CPU time read. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS } from '#core/time.ts';
import { answersHttp } from '#test/adapters/contracts/java-services.ts';

/** The generator has the other one to itself. */
const SERVER_CORE = '0';
const GENERATOR_CORE = '1';
const START_LIMIT_MS = MINUTE_MS;
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

/** Programs by what they do: each can be killed, and is started again. */
export interface Roles {
  readonly names: readonly string[];
  pids(): readonly number[];
  /** Throws RangeError for a name that is none. */
  kill(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a program for each name, in this order. */
export async function startRoles<Name extends string>(
  names: readonly Name[],
  start: (name: Name) => Promise<Program>,
): Promise<Roles> {
  const programs = new Map<Name, Program>();
  for (const name of names) programs.set(name, await start(name));
  return {
    names,
    pids: () => [...programs.values()].map(it => it.pid),
    async kill(name) {
      const known = names.find(it => it === name);
      if (known === undefined) throw new RangeError(`There is no ${name} to kill; there are ${names.join(', ')}`);
      await programs.get(known)?.kill();
      programs.set(known, await start(known));
    },
    async stop() {
      for (const program of programs.values()) await program.kill();
    },
  };
}

/** The two programs of a peer (`server` and `worker`) of one source file, which take their role and the server's port. */
export function startPeer(app: string, url: string, env: Readonly<Record<string, string>>): Promise<Roles> {
  const { port } = new URL(url);
  return startRoles(['server', 'worker'], role => {
    const ready = role === 'server' ? () => answersHttp(url) : async () => true;
    return startProgram(process.execPath, [app, role, port], { env, ready });
  });
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
