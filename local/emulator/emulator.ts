import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { oneAtATime } from '#local/shell/one-at-a-time.ts';
import { UserError } from '#local/shell/user-error.ts';
import { HOLDFAST_DIRECTORY, localDirectory, makeWritable } from '#local/shell/workspace.ts';
import { checkGivenEndpoint } from './given-endpoint.ts';
import { ensureEmulatorInstalled } from './python.ts';
import {
  type AwsState,
  editionOf,
  endpointAt,
  endpointOn,
  isAlive,
  type LocalEndpoint,
  readHealth,
  readState,
  stateFile,
} from './running-aws.ts';

const DEFAULT_PORT = 4566;
const BOOT_LIMIT_MS = 60_000;
/** One that deploys on a machine that computes may take seconds to say who it is. */
const BUSY_LIMIT_MS = 15_000;
const STOP_LIMIT_MS = 8_000;

/** An AWS on this machine: where it is, and how to leave it. */
export interface LocalAws extends LocalEndpoint {
  /** Changes whenever the local AWS starts empty: what was deployed to another instance does not count. */
  readonly instanceId: string;
  /** `started` by us, `shared` with a run of ours that is still going, or `given` by AWS_ENDPOINT_URL. */
  readonly origin: 'started' | 'shared' | 'given';
  /** Files of this local AWS: its log, its data, the synthesized stacks. */
  readonly directory: string;
  /** Stops it if this process started it; otherwise leaves it alone. */
  stop(): Promise<void>;
}

/** With which a program of ours finds this local AWS. */
export function environmentOf({ endpoint, region, credentials }: LocalAws): Readonly<Record<string, string>> {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
}

/** The port asked for with `--port` or HOLDFAST_PORT, else 4566. Throws UserError when it is not a port. */
export function choosePort(option: string | undefined, env: NodeJS.ProcessEnv = process.env): number {
  const text = option ?? env['HOLDFAST_PORT'] ?? String(DEFAULT_PORT);
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new UserError(`"${text}" is not a port: give a number from 1 to 65535, e.g. npm start -- --port 4600`);
  }
  return port;
}

/**
 * The local AWS to work with. AWS_ENDPOINT_URL wins; then one of ours that still runs on the port; else a new, empty one.
 * It ends with this process, whatever ends it. Throws UserError when the port is taken or Python is missing.
 */
export async function openLocalAws(port: number, env: NodeJS.ProcessEnv = process.env): Promise<LocalAws> {
  const given = env['AWS_ENDPOINT_URL'];
  if (given) return await useGivenEndpoint(given, env);
  const directory = localDirectory(port);
  await makeWritable(directory);
  // Two that start at once are one that starts and one that joins.
  const open = async (): Promise<LocalAws> => (await findRunning(port)) ?? (await startEmulator(port));
  return await oneAtATime(join(directory, 'start.lock'), open);
}

/** The local AWS that runs: AWS_ENDPOINT_URL, or one of `npm start` on HOLDFAST_PORT, else on any port. Undefined when none does. */
export async function findLocalAws(env: NodeJS.ProcessEnv = process.env): Promise<LocalAws | undefined> {
  const given = env['AWS_ENDPOINT_URL'];
  if (given) return await useGivenEndpoint(given, env);
  const names = env['HOLDFAST_PORT'] === undefined ? await readdir(HOLDFAST_DIRECTORY).catch(() => []) : [];
  const others = names.flatMap(name => /^local-(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  for (const port of new Set([choosePort(undefined, env), ...others])) {
    const found = await findRunning(port);
    if (found) return found;
  }
  return undefined;
}

async function useGivenEndpoint(endpoint: string, env: NodeJS.ProcessEnv): Promise<LocalAws> {
  const base = checkGivenEndpoint(endpoint);
  const health = await readHealth(base);
  const answers =
    health !== undefined ||
    (await fetch(base).then(
      () => true,
      () => false,
    ));
  if (!answers) {
    throw new UserError(
      `Nothing answers at AWS_ENDPOINT_URL ${endpoint}. Start it, or unset AWS_ENDPOINT_URL to get one.`,
    );
  }
  const directory = localDirectory(Number(new URL(base).port) || 80);
  await makeWritable(directory);
  return {
    ...endpointAt(base, env),
    instanceId: health?.edition ?? base,
    origin: 'given',
    directory,
    stop: () => Promise.resolve(),
  };
}

/** One of ours that another process keeps running on this port. Known by the id it was started with. */
async function findRunning(port: number): Promise<LocalAws | undefined> {
  const directory = localDirectory(port);
  const state = await readState(directory);
  if (state === undefined || !(await isAlive(state, BUSY_LIMIT_MS))) return undefined;
  // A run that is just ending takes its emulator with it: look again before relying on it.
  await wait(300);
  if (!(await isAlive(state, BUSY_LIMIT_MS))) return undefined;
  const instanceId = editionOf(state.instanceId);
  return { ...endpointAt(endpointOn(port)), instanceId, origin: 'shared', directory, stop: () => Promise.resolve() };
}

async function startEmulator(port: number): Promise<LocalAws> {
  const python = await ensureEmulatorInstalled();
  await assertPortIsFree(port);
  const directory = localDirectory(port);
  const instanceId = randomUUID();
  // Outside the repository: its package.json and node_modules would leak into the functions that run there.
  const data = join(tmpdir(), editionOf(instanceId));
  await mkdir(join(data, 'tmp'), { recursive: true });
  // The emulator writes its workers there as CommonJS: a package.json in the machine's /tmp would say otherwise.
  await writeFile(join(data, 'tmp', 'package.json'), '{"type":"commonjs"}');

  const logPath = join(directory, 'emulator.log');
  const log = openSync(logPath, 'w');
  // Its own process group, so that Ctrl-C reaches us first; its stdin is our life line (run_emulator.py).
  const child = spawn(python, [join(import.meta.dirname, 'run_emulator.py')], {
    cwd: data,
    detached: true,
    stdio: ['pipe', log, log],
    env: emulatorEnvironment(port, data, editionOf(instanceId)),
  });
  closeSync(log);
  child.stdin?.on('error', () => undefined);
  const killGroup = (): void => signalGroup(child, 'SIGKILL');
  process.once('exit', killGroup);

  const stop = async (): Promise<void> => {
    child.stdin?.end();
    signalGroup(child, 'SIGTERM');
    const deadline = Date.now() + STOP_LIMIT_MS;
    while (isRunning(child) && Date.now() < deadline) await wait(50);
    killGroup();
    process.removeListener('exit', killGroup);
    await rm(data, { recursive: true, force: true, maxRetries: 3 });
    if ((await readState(directory))?.instanceId === instanceId) await rm(stateFile(directory), { force: true });
  };

  const state: AwsState = { instanceId, port };
  const deadline = Date.now() + BOOT_LIMIT_MS;
  while (!(await isAlive(state))) {
    if (!isRunning(child) || Date.now() > deadline) {
      const end = (await readFile(logPath, 'utf8')).trim().split('\n').slice(-3).join(' | ');
      await stop();
      throw new UserError(`The local AWS did not start on port ${port}; its log is ${logPath}. It ended with: ${end}`);
    }
    await wait(50);
  }
  await writeFile(stateFile(directory), JSON.stringify(state));
  return { ...endpointAt(endpointOn(port)), instanceId: editionOf(instanceId), origin: 'started', directory, stop };
}

/** Only what it needs: the functions run inside it, and nothing of this shell (credentials, tokens) belongs there. */
function emulatorEnvironment(port: number, data: string, edition: string): NodeJS.ProcessEnv {
  const keep = ['HOME', 'LANG', 'LC_ALL', 'SystemRoot', 'USERPROFILE'];
  const kept = keep.flatMap(name => (process.env[name] === undefined ? [] : [[name, process.env[name]] as const]));
  return {
    ...Object.fromEntries(kept),
    // The functions run on the Node this program runs on: 24, from the repository.
    PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    TMPDIR: join(data, 'tmp'),
    BIND_HOST: '127.0.0.1',
    GATEWAY_PORT: String(port),
    MINISTACK_EDITION: edition,
    STATE_DIR: join(data, 'state'),
    S3_DATA_DIR: join(data, 's3'),
    IOT_MTLS_ENABLED: '0',
    SFTP_ENABLED: '0',
    LAMBDA_WARM_TTL_SECONDS: '120',
    LOG_LEVEL: process.env['HOLDFAST_DEBUG'] ? 'INFO' : 'WARNING',
    PYTHONUNBUFFERED: '1',
    NODE_NO_WARNINGS: '1',
  };
}

/** Throws UserError, with a port to take instead, when something else listens on this one. */
export async function assertPortIsFree(port: number): Promise<void> {
  const taken = await new Promise<boolean>(resolve => {
    const server = createServer();
    server.once('error', () => resolve(true));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(false)));
  });
  if (!taken) return;
  const other = (await readHealth(endpointOn(port)))
    ? ` A local AWS answers there: to use it, set AWS_ENDPOINT_URL=http://127.0.0.1:${port}.`
    : '';
  throw new UserError(
    `Port ${port} is in use by another program. Choose another one: npm start -- --port ${port < 65_000 ? port + 34 : port - 34} (or set HOLDFAST_PORT).${other}`,
  );
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}
