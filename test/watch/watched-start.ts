/** `npm start` in a checkout or in somebody's project, watched as a person does: what it prints, and what commands say. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  CloudWatchLogsClient,
  FilterLogEventsCommand,
  paginateDescribeLogGroups,
} from '@aws-sdk/client-cloudwatch-logs';
import { given } from '#core/given.ts';
import { freePort } from '#test/kit/servers/free-port.ts';

/** Deploying takes half a minute, and many times that on a machine that does much else. */
const START_LIMIT_MS = 480_000;
/** Of a command: a replay that waits for a job that never ends is ended, and fails the run. */
const COMMAND_LIMIT_MS = 150_000;

/** Where commands are typed: a checkout, or a project that depends on the package. Arguments of Node. */
export interface Place {
  readonly cwd: string;
  readonly start: readonly string[];
  readonly holdfast: readonly string[];
}

export interface PrintedLine {
  readonly text: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export class WatchedStart {
  readonly lines: PrintedLine[] = [];
  readonly begunAt = Date.now();
  readonly #place: Place;
  readonly #child: ChildProcess;
  readonly #env: NodeJS.ProcessEnv;
  readonly #endpoint: string;
  #exited: number | null | undefined;

  private constructor(place: Place, port: number) {
    const { AWS_ENDPOINT_URL: _other, ...env } = process.env;
    this.#place = place;
    this.#endpoint = `http://127.0.0.1:${port}`;
    this.#env = { ...env, NO_COLOR: '1', HOLDFAST_PORT: String(port) };
    const args = [...place.start, '--port', String(port)];
    this.#child = spawn(process.execPath, args, { cwd: place.cwd, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.once('exit', code => (this.#exited = code));
    for (const stream of [this.#child.stdout, this.#child.stderr])
      if (stream) createInterface({ input: stream }).on('line', text => this.lines.push({ text, at: Date.now() }));
  }

  /** Until it waits for events. Throws, with what was printed, when it does not come that far. */
  static async open(place: Place): Promise<WatchedStart> {
    const started = new WatchedStart(place, await freePort());
    const until = Date.now() + START_LIMIT_MS;
    while (!started.lines.some(({ text }) => text.startsWith('Events as they come'))) {
      if (started.#exited !== undefined || Date.now() > until) {
        await started.stop();
        throw new Error(`npm start did not come to its events\n${started.text()}`);
      }
      await wait(200);
    }
    return started;
  }

  text(): string {
    return this.lines.map(({ text }) => text).join('\n');
  }

  get hasEnded(): boolean {
    return this.#exited !== undefined;
  }

  /** Runs a command; its exit code, and what it printed on stdout. */
  async holdfast(...args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string }> {
    const options = { cwd: this.#place.cwd, env: this.#env, maxBuffer: 64 * 1024 * 1024, timeout: COMMAND_LIMIT_MS };
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [...this.#place.holdfast, ...args], options);
      return { code: 0, stdout };
    } catch (error) {
      const { code, killed, stdout, stderr } = error as Record<'code' | 'killed' | 'stdout' | 'stderr', unknown>;
      if (killed === true)
        throw new Error(
          `holdfast ${args.join(' ')} has not ended after ${COMMAND_LIMIT_MS / 1_000} s:\n${stdout}${stderr}`,
        );
      if (typeof code !== 'number') throw error;
      return { code, stdout: `${stdout}${stderr}` };
    }
  }

  /** The same, and it must succeed. */
  async done(...args: readonly string[]): Promise<string> {
    const { code, stdout } = await this.holdfast(...args);
    if (code !== 0) throw new Error(`holdfast ${args.join(' ')} ended with ${code}:\n${stdout}`);
    return stdout;
  }

  /** The URL of a source, as it was printed. */
  urlOf(source: string): string {
    return (
      new RegExp(`^ +${source} +(http\\S+/webhooks/${source})$`, 'm').exec(this.text())?.[1] ?? 'no URL was printed'
    );
  }

  /** Lines of level error of all functions, since this run began; Lambda's own of a crash or a time limit too. */
  async errors(): Promise<readonly string[]> {
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    const logs = new CloudWatchLogsClient({ endpoint: this.#endpoint, region: 'us-east-1', credentials });
    const found: string[] = [];
    try {
      for await (const { logGroups = [] } of paginateDescribeLogGroups({ client: logs }, {}))
        for (const { logGroupName = '' } of logGroups) {
          let nextToken: string | undefined;
          do {
            const input = { logGroupName, startTime: this.begunAt, filterPattern: '', ...given({ nextToken }) };
            const page = await logs.send(new FilterLogEventsCommand(input));
            const messages = (page.events ?? []).map(({ message = '' }) => message);
            found.push(...messages.filter(isError).map(message => `${logGroupName}: ${message.trim()}`));
            nextToken = page.nextToken;
          } while (nextToken);
        }
    } finally {
      logs.destroy();
    }
    return found;
  }

  async stop(): Promise<void> {
    if (this.#exited !== undefined) return;
    this.#child.kill('SIGINT');
    await Promise.race([once(this.#child, 'exit'), wait(20_000, undefined, { ref: false })]);
    this.#child.kill('SIGKILL');
  }
}

function isError(message: string): boolean {
  try {
    const line: unknown = JSON.parse(message);
    if (typeof line === 'object' && line !== null && 'level' in line)
      return /^(?:error|fatal)$/i.test(String(line.level));
    if (typeof line === 'object' && line !== null) return 'errorType' in line;
  } catch {
    // A line of text.
  }
  return /\bERROR\b|Task timed out|errorType/.test(message);
}
