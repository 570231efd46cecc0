/** The CLI over the whole product in memory: the commands in this process, the gateway on a virtual clock. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryPayloadStore } from '#adapters/memory/memory-payload-store.ts';
import { SeededIds, SeededRandom } from '#adapters/memory/seeded-random.ts';
import { type Io, NOBODY_READS } from '#cli/io.ts';
import { runCli } from '#cli/main.ts';
import type { Services } from '#cli/run.ts';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { given } from '#core/given.ts';
import { PermanentError } from '#core/handler/handler-contract.ts';
import { DAY_MS } from '#core/time.ts';
import { VERSION } from '#core/version.ts';
import type { AlarmView, FunctionStops, Gateway, Mute, Mutes, SecretVault, StoredSecret } from '#operator/gateway.ts';
import { PROVIDERS } from '#providers/index.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { MemorySearchStore } from '#test/kit/memory/memory-search-store.ts';
import { MemoryDeadQueue, MemoryQueueGauge, MemoryWorkQueue } from '#test/kit/memory/queue/memory-queue-ports.ts';
import { EVENTS, MemoryWorld, PAYLOADS, SECRET, type WorldOptions } from '#test/kit/memory-world.ts';
import { handlerThat } from '../../proof/journeys/support/handlers.ts';

const GATEWAY = defineGateway({
  sources: { shop: { provider: 'generic' }, pay: { provider: 'generic' } },
  environments: { local: {}, prod: { region: 'eu-central-1' } },
});

/** Of every world: nothing changes it, and to resolve it takes a millisecond. */
const LOCAL = resolveDeployment(GATEWAY, 'local', PROVIDERS);

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A terminal, and what the person answers to each question. */
  readonly answers?: readonly string[];
  /** Before each answer. */
  readonly thinksMs?: number;
  /** stdout is a terminal. */
  readonly screen?: boolean;
  /** Of that terminal. Default 200. */
  readonly columns?: number;
  /** Ctrl-C. */
  readonly signal?: AbortSignal;
  readonly gateway?: Partial<Gateway>;
  readonly openGateway?: Services['openGateway'];
  readonly readDeployment?: Services['readDeployment'];
  readonly publishedLists?: Services['publishedLists'];
  readonly prove?: NonNullable<Services['prove']>;
  readonly proveBill?: NonNullable<Services['proveBill']>;
  readonly readHandlers?: Services['readHandlers'];
  /** Default: an agent that says one thing and goes. */
  readonly serveAgent?: NonNullable<Services['serveAgent']>;
  /** The command waits for real sockets, and so not for the virtual clock. */
  readonly realTime?: boolean;
  /** Told of each piece of stdout as it comes. */
  readonly onStdout?: (text: string) => void;
}

export class MemoryVault implements SecretVault {
  readonly stored = new Map<string, StoredSecret>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  read(name: string): Promise<StoredSecret> {
    return Promise.resolve(this.stored.get(name) ?? { kind: 'absent' });
  }

  write(name: string, text: string): Promise<void> {
    this.stored.set(name, { kind: 'set', text, changedAt: this.#now() });
    return Promise.resolve();
  }
}

/** What is muted, until its time is over. */
export class MemoryMutes implements Mutes {
  readonly #now: () => number;
  #mutes: readonly Mute[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  list(): Promise<readonly Mute[]> {
    return Promise.resolve(this.#mutes.filter(mute => mute.until > this.#now()));
  }

  begin(mute: Mute): Promise<void> {
    this.#mutes = [...this.#mutes, mute];
    return Promise.resolve();
  }

  end({ id }: Pick<Mute, 'id'>): Promise<void> {
    this.#mutes = this.#mutes.filter(mute => mute.id !== id);
    return Promise.resolve();
  }
}

export class CliWorld {
  readonly world: MemoryWorld;
  readonly vault: MemoryVault;
  /** Handlers of events whose id begins with `bad` refuse for good until this is set. */
  fixed = false;
  processorState = 'Enabled';
  stops: readonly FunctionStops[] = [];
  alarms: AlarmView[] = [];
  /** Alarms that a person let ring, and for how long they do. */
  readonly rung: string[] = [];
  alarmLastsMs = 40_000;
  /** Functions that a person began. */
  readonly begun: string[] = [];
  readonly gateway: Gateway;

  constructor(options: WorldOptions = {}) {
    this.world = new MemoryWorld({
      sources: ['shop', 'pay'],
      retry: { attempts: 1, baseSeconds: 1, capSeconds: 1 },
      idleMs: 500,
      handlers: handlerThat(({ id }) =>
        id.startsWith('bad') && !this.fixed ? Promise.reject(new PermanentError('schema changed')) : undefined,
      ),
      database: { indexLagMs: () => 20 },
      queue: { duplicateRate: 0 },
      deadQueue: { duplicateRate: 0, visibilitySeconds: 30 },
      ...options,
    });
    const { world } = this;
    const { clock, database } = world;
    this.vault = new MemoryVault(() => clock.now());
    for (const source of ['shop', 'pay'])
      this.vault.stored.set(`holdfast/local/${source}`, { kind: 'set', text: SECRET, changedAt: clock.now() });
    this.gateway = {
      deployment: LOCAL,
      place: 'memory',
      deployedAt: clock.now() - 7_200_000,
      apiUrl: 'https://gateway.test',
      store: new MemoryEventStore(database, EVENTS),
      payloads: new MemoryPayloadStore(database, PAYLOADS),
      search: new MemorySearchStore(database, PAYLOADS),
      blobs: world.blobs,
      control: new MemoryControlStore(database, EVENTS),
      queue: new MemoryWorkQueue(world.main),
      processor: {
        state: () => Promise.resolve(this.processorState),
        set: running => {
          this.processorState = running ? 'Enabled' : 'Disabled';
          return Promise.resolve();
        },
      },
      functionStops: () => Promise.resolve(this.stops),
      reconciler: { run: () => Promise.reject(new Error('no source is compared here')) },
      begin: async (name, how) => {
        if (how === 'try') return;
        this.begun.push(name);
        if (name === 'sweep') void world.sweeper.invoke({});
      },
      delivery: () => Promise.reject(new Error('nothing is sent here')),
      outbound: () => Promise.reject(new Error('nothing is sent here')),
      dead: new MemoryDeadQueue(world.dead),
      gauge: new MemoryQueueGauge(world.main, world.dead),
      secrets: this.vault,
      alarms: () => Promise.resolve(this.alarms),
      ringAlarm: async (name, reason) => {
        this.rung.push(`${name}: ${reason}`);
        const become = (state: AlarmView['state']): void => {
          this.alarms = this.alarms.map(it => (it.name === name ? { ...it, state, since: clock.now() } : it));
        };
        become('ALARM');
        void clock.sleep(this.alarmLastsMs).then(() => become('OK'));
      },
      mutes: new MemoryMutes(() => clock.now()),
      alarmGraph: () => Promise.resolve(undefined),
      logs: { read: async at => [{ at, from: 'process', text: '{"stage":"attempt","source":"shop"}' }] },
      http: async (url, request) => {
        const path = url.slice('https://gateway.test'.length);
        const headers = { date: new Date(clock.now()).toUTCString() };
        if (path === '/health') return { status: 200, headers, body: JSON.stringify({ version: VERSION }), ms: 1 };
        const outcome = await world.ingest.invoke({
          version: '2.0',
          routeKey: `${request.method} ${path}`,
          rawPath: path,
          rawQueryString: '',
          headers: request.headers,
          isBase64Encoded: true,
          body: Buffer.from(request.body ?? []).toString('base64'),
          requestContext: { http: { method: request.method, path, sourceIp: '198.51.100.7' } },
        });
        if (outcome.kind !== 'returned') throw new Error('no answer');
        const { statusCode, body } = JSON.parse(outcome.payload ?? '{}') as { statusCode: number; body: string };
        return { status: statusCode, headers, body, ms: 12 };
      },
      clock,
      ids: new SeededIds(new SeededRandom(9)),
      timer: { sleep: ms => clock.sleep(ms), limit: () => Promise.reject(new Error('not used')) },
    };
  }

  /** Runs a command; virtual time passes while it waits. */
  async run(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
    const { world } = this;
    const out: string[] = [];
    const err: string[] = [];
    const answers = [...(options.answers ?? [])];
    const io: Io = {
      stdout: {
        write: data => {
          out.push(textOf(data));
          options.onStdout?.(textOf(data));
        },
        isTTY: options.screen === true || options.columns !== undefined,
        columns: options.columns ?? 200,
      },
      stderr: { write: data => void err.push(textOf(data)), isTTY: false, columns: 200 },
      stdinIsTTY: options.answers !== undefined,
      readStdin: () => Promise.resolve(Buffer.from(options.stdin ?? '')),
      ask: async question => {
        err.push(question);
        await world.clock.sleep(options.thinksMs ?? 0);
        return answers.shift() ?? '';
      },
      env: options.env ?? {},
      interrupted: options.signal ?? new AbortController().signal,
      user: 'ada',
    };
    const gateway = { ...this.gateway, ...options.gateway };
    const services: Services = {
      io,
      clock: world.clock,
      readDeployment:
        options.readDeployment ?? (name => (name === 'local' ? LOCAL : resolveDeployment(GATEWAY, name, PROVIDERS))),
      ...given({ readHandlers: options.readHandlers }),
      openGateway: options.openGateway ?? (() => Promise.resolve(gateway)),
      startConsole: () =>
        Promise.resolve({
          url: 'http://127.0.0.1:4580/#token=of-a-test',
          open: () => {},
          close: () => Promise.resolve(),
        }),
      serveAgent: options.serveAgent ?? (async () => io.stdout.write('{"jsonrpc":"2.0","id":1,"result":{}}\n')),
      ...given({ prove: options.prove, proveBill: options.proveBill }),
      publishedLists: options.publishedLists ?? {
        fetchText: () => Promise.reject(new Error('no network')),
        directory: '/nowhere',
      },
    };
    const running = runCli(args, services);
    const code = await (options.realTime ? running : world.clock.complete(running, 30 * DAY_MS));
    return { code, stdout: out.join(''), stderr: err.join('') };
  }

  /** The same with --json, parsed; a stream is a list. */
  async json(
    args: readonly string[],
    options: CliOptions = {},
  ): Promise<{ code: number; value: unknown; stderr: string }> {
    const { code, stdout, stderr } = await this.run([...args, '--json'], options);
    const lines = stdout.trim().split('\n');
    const value: unknown =
      lines.length > 1 ? lines.map(line => JSON.parse(line) as unknown) : JSON.parse(stdout || 'null');
    return { code, value, stderr };
  }

  /** Events arrive and end. */
  async happen(ids: readonly string[], source = 'shop'): Promise<void> {
    for (const id of ids) {
      await this.world.post({ id, source, type: id.startsWith('bad') ? 'order.paid' : 'ping' });
      await this.world.clock.advanceBy(1_000);
    }
    await this.world.settle();
  }
}

function textOf(data: string | Uint8Array): string {
  return typeof data === 'string' ? data : Buffer.from(data).toString('utf8');
}

/** A path that is gone after the test it is asked for in. */
export function temporaryFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

/** As `| head -1`: whoever reads is gone after the first piece, and later pieces reach nobody. */
export function untilFirstPiece(options: CliOptions = {}): CliOptions {
  const gone = new AbortController();
  const onStdout = (): void => gone.abort(NOBODY_READS);
  return { ...options, onStdout, signal: AbortSignal.any([gone.signal, ...(options.signal ? [options.signal] : [])]) };
}
