/** One function in a process of its own, loaded and called as Lambda does. */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { REGION } from './configurations.ts';
import type { DeployedFunction } from './deployed.ts';

export type Invoked =
  | { readonly kind: 'answered'; readonly value: unknown; readonly lines: readonly string[] }
  | { readonly kind: 'failed'; readonly error: string; readonly lines: readonly string[] }
  | { readonly kind: 'died'; readonly lines: readonly string[] };

const WORKER = join(import.meta.dirname, 'run-function.ts');
/** An invocation that takes longer is a fault of ours: no fault of a call costs more than its two tries. */
const LIMIT_MS = 60_000;

export class FunctionProcess {
  readonly #it: DeployedFunction;
  readonly #endpoint: string;
  #child: ChildProcess | undefined;
  #ready: Promise<void> | undefined;
  #lines: string[] = [];
  /** Files of its bundle that were read so far, by any of its processes. */
  readonly files = new Set<string>();

  constructor(it: DeployedFunction, endpoint: string) {
    this.#it = it;
    this.#endpoint = endpoint;
  }

  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  /** Ends the process: the next invocation is a cold start. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise(resolve => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  /** Starts it, as far as its first event. Answers why it could not. */
  async start(skewMs: number): Promise<string | undefined> {
    return this.#start(skewMs).then(
      () => undefined,
      error => `${String(error)} ${this.#lines.join(' ')}`.slice(0, 800),
    );
  }

  async invoke(event: unknown, skewMs: number): Promise<Invoked> {
    this.#lines = [];
    try {
      await this.#start(skewMs);
    } catch (error) {
      const dead = error instanceof Error && error.message === 'died';
      return dead ? { kind: 'died', lines: this.#lines } : { kind: 'failed', error: String(error), lines: this.#lines };
    }
    const child = this.#child as ChildProcess;
    return new Promise(resolve => {
      const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
      const end = (invoked: Invoked): void => {
        clearTimeout(timer);
        child.off('message', onMessage);
        child.off('exit', onExit);
        // What was printed travels beside the answer.
        setTimeout(() => resolve({ ...invoked, lines: this.#lines }), 5);
      };
      const onMessage = (message: { value?: unknown; error?: string; files?: string[] }): void => {
        for (const file of message.files ?? []) this.files.add(file);
        end(
          'error' in message
            ? { kind: 'failed', error: String(message.error), lines: [] }
            : { kind: 'answered', value: message.value, lines: [] },
        );
      };
      const onExit = (): void => end({ kind: 'died', lines: [] });
      child.on('message', onMessage as never);
      child.once('exit', onExit);
      child.send({ event, skewMs, timeoutMs: this.#it.timeoutMs });
    });
  }

  #start(skewMs: number): Promise<void> {
    this.#ready ??= this.#spawn(skewMs).catch(error => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  #spawn(skewMs: number): Promise<void> {
    const { folder, handler, environment, id } = this.#it;
    const env = {
      ...environment,
      AWS_REGION: REGION,
      AWS_LAMBDA_FUNCTION_NAME: id,
      AWS_ACCESS_KEY_ID: id,
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 'session',
      AWS_ENDPOINT_URL: this.#endpoint,
      TZ: ':UTC',
    };
    const child = fork(WORKER, [folder, handler, String(skewMs)], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      execArgv: [],
    });
    this.#child = child;
    const keep = (chunk: Buffer): void => {
      this.#lines.push(
        ...chunk
          .toString('utf8')
          .split('\n')
          .filter(line => line !== ''),
      );
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.once('exit', () => {
      if (this.#child === child) this.#ready = undefined;
    });
    return new Promise((resolve, reject) => {
      child.once('exit', () => reject(new Error('died')));
      child.once('message', (message: { error?: string; files?: string[] }) => {
        for (const file of message.files ?? []) this.files.add(file);
        if (message.error === undefined) resolve();
        else {
          child.kill('SIGKILL');
          reject(new Error(`init: ${message.error}`));
        }
      });
    });
  }
}
