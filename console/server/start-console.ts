/** The console's server: the page and its API on 127.0.0.1, for one person and one environment. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { explainError } from '#operator/explain-error.ts';
import type { Operator } from '#operator/operator.ts';
import { type FailureKind, OperatorError } from '#operator/operator-error.ts';
import type { LiveMessage } from '../wire.ts';
import { type Asset, bundlePage } from './bundle.ts';
import { GUARD_HEADERS, judge } from './guards.ts';
import { LiveHub } from './live.ts';
import { problemOf } from './problem.ts';
import type { Asked } from './route.ts';
import { routesAt } from './routes.ts';

export interface ConsoleOptions {
  readonly operator: Operator;
  readonly readOnly: boolean;
  /** How a person begins a command for this environment. */
  readonly program: string;
  /** Absent: 4580, or the next free one. */
  readonly port?: number | undefined;
}

export interface RunningConsole {
  /** With the token: whoever has it may do what this person may do. */
  readonly url: string;
  readonly port: number;
  /** In the person's browser, where that can be opened. */
  open(): void;
  close(): Promise<void>;
}

const FIRST_PORT = 4580;
const PORTS_TRIED = 20;
const MOST_BODY_BYTES = 6_000_000;
const STATUS: Readonly<Record<FailureKind, number>> = {
  usage: 400,
  not_found: 404,
  credentials: 503,
  failure: 502,
  partial: 502,
  interrupted: 502,
};

/** Throws OperatorError when no port is free. */
export async function startConsole(options: ConsoleOptions): Promise<RunningConsole> {
  const assets = await bundlePage();
  const token = randomBytes(24).toString('base64url');
  const hub = new LiveHub(options.operator);
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    void new Exchange(request, response, { ...options, port, token, assets, hub }).answer();
  });
  const port = await listen(server, options.port);
  const url = `http://127.0.0.1:${port}/#token=${token}`;
  return {
    url,
    port,
    open: () => openPage(url),
    close: () => {
      hub.close();
      server.closeAllConnections();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
}

/** Best effort: the address is printed as well. */
function openPage(url: string): void {
  const command = { darwin: 'open', win32: 'explorer' }[process.platform as 'darwin' | 'win32'] ?? 'xdg-open';
  spawn(command, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}

async function listen(server: Server, wanted: number | undefined): Promise<number> {
  const ports = wanted === undefined ? Array.from({ length: PORTS_TRIED }, (_, n) => FIRST_PORT + n) : [wanted];
  for (const port of ports) {
    const error = await new Promise<NodeJS.ErrnoException | undefined>(resolve => {
      server.once('error', resolve);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', resolve);
        resolve(undefined);
      });
    });
    if (error === undefined) return (server.address() as AddressInfo).port;
    if (error.code !== 'EADDRINUSE') throw error;
  }
  throw new OperatorError(
    `No free port for the console among ${ports[0]}${ports.length > 1 ? ` to ${ports.at(-1)}` : ''}\nGive another: --port 4700`,
    'usage',
  );
}

interface Around extends ConsoleOptions {
  readonly port: number;
  readonly token: string;
  readonly assets: ReadonlyMap<string, Asset>;
  readonly hub: LiveHub;
}

/** One request and its answer. */
class Exchange {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #around: Around;
  readonly #url: URL;

  constructor(request: IncomingMessage, response: ServerResponse, around: Around) {
    this.#request = request;
    this.#response = response;
    this.#around = around;
    // Joined, not resolved: `//` alone is no address, and any page of the browser may ask for it.
    const path = request.url?.startsWith('/') ? request.url : '/';
    this.#url = new URL(`http://127.0.0.1${path}`);
  }

  async answer(): Promise<void> {
    try {
      const isApi = this.#url.pathname.startsWith('/api/');
      const refusal = judge(this.#request, { ...this.#around, needsToken: isApi });
      if (refusal !== undefined) {
        const { status, ...problem } = refusal;
        this.#request.resume();
        this.#json(status, problem);
      } else if (!isApi) this.#page();
      else if (this.#url.pathname === '/api/live' && this.#request.method === 'GET') this.#live();
      else await this.#api();
    } catch (error) {
      const explained = explainError(error);
      if (this.#response.headersSent) this.#response.end();
      else this.#json(STATUS[explained.kind], problemOf(explained));
    }
  }

  /** Every path that is no file is a screen of the page. */
  #page(): void {
    const { pathname } = this.#url;
    const { assets } = this.#around;
    const asset = assets.get(pathname) ?? (pathname.startsWith('/assets/') ? undefined : assets.get('/'));
    if (asset === undefined) this.#json(404, { problem: 'This file does not exist', fix: 'Load the page again' });
    else this.#response.writeHead(200, { ...GUARD_HEADERS, 'content-type': asset.type }).end(asset.bytes);
  }

  async #api(): Promise<void> {
    const { method } = this.#request;
    const found = routesAt(this.#url.pathname);
    const route = found.find(({ route: each }) => each.method === method);
    if (route === undefined) {
      this.#request.resume();
      const problem = found.length > 0 ? `${method} is not done here` : 'There is no such thing in this console';
      this.#json(found.length > 0 ? 405 : 404, { problem });
      return;
    }
    const { operator, readOnly, program } = this.#around;
    if (method === 'POST' && readOnly) {
      this.#request.resume();
      const fix = `Start it with --write: ${program} console --write`;
      this.#json(403, { problem: 'This console is read-only: nothing was changed', fix });
      return;
    }
    const gone = new AbortController();
    this.#response.once('close', () => gone.abort());
    const body = method === 'POST' ? await this.#body() : {};
    const asked: Asked = {
      operator,
      readOnly,
      program,
      params: route.params,
      query: this.#url.searchParams,
      body,
      signal: gone.signal,
    };
    const answer = route.route.answer(asked);
    if (Symbol.asyncIterator in answer) await this.#lines(answer);
    else this.#json(200, await answer);
  }

  async #body(): Promise<Readonly<Record<string, unknown>>> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of this.#request) {
      size += (chunk as Buffer).length;
      if (size > MOST_BODY_BYTES)
        throw new OperatorError(`The request is larger than ${MOST_BODY_BYTES} bytes: send less at once`, 'usage');
      chunks.push(chunk as Buffer);
    }
    try {
      const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}');
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {
      // Said below.
    }
    throw new OperatorError('The request is not a JSON object: reload the page, and try again', 'usage');
  }

  #json(status: number, value: object): void {
    const headers = { ...GUARD_HEADERS, 'content-type': 'application/json; charset=utf-8' };
    this.#response.writeHead(status, headers).end(JSON.stringify(value));
  }

  /** One JSON object a line, as they come. A failure in the middle is the last line. */
  async #lines(answer: AsyncIterable<object>): Promise<void> {
    const iterator = answer[Symbol.asyncIterator]();
    const first = await iterator.next();
    this.#response.writeHead(200, { ...GUARD_HEADERS, 'content-type': 'application/x-ndjson; charset=utf-8' });
    try {
      for (let step = first; !step.done; step = await iterator.next())
        this.#response.write(`${JSON.stringify(step.value)}\n`);
      this.#response.end();
    } catch (error) {
      this.#response.end(`${JSON.stringify(problemOf(explainError(error)))}\n`);
    }
  }

  /** Server-sent events until the page goes. One that does not read is let go: it comes back and gets what it missed. */
  #live(): void {
    const after = Number(this.#url.searchParams.get('after') ?? Number.NaN);
    this.#response.writeHead(200, { ...GUARD_HEADERS, 'content-type': 'text/event-stream; charset=utf-8' });
    const tell = (message: LiveMessage): void => {
      this.#response.write(`data: ${JSON.stringify(message)}\n\n`);
      if (this.#response.writableLength > MOST_BODY_BYTES) this.#response.destroy();
    };
    const stop = this.#around.hub.watch(tell, Number.isSafeInteger(after) ? after : undefined);
    this.#response.once('close', stop);
  }
}
