/**
 * One HTTP request and its answer, with every limit set: one deadline over all of it, size of header and body, number of
 * interim answers. Redirects are answers; nothing is decompressed; nothing is thrown.
 */
import { type Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { NoAnswerCause, Timings } from '#core/outbound/ports.ts';
import { concatBytes } from '#core/scan/bytes.ts';
import { type Progress, progressOf } from './guarded-agent.ts';
import { failureOf, SendFailure } from './send-failure.ts';

export interface ExchangeCall {
  readonly method: 'GET' | 'POST';
  readonly target: { readonly protocol: string; readonly host: string; readonly port: number; readonly path: string };
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly agent: Agent;
  /** Time of `performance.now()` when it began, and when it must be over. */
  readonly startedAt: number;
  readonly endsAt: number;
  /** Bytes of the answer's body that are kept, and that are read before the connection is given up. */
  readonly maxKept: number;
  readonly maxRead: number;
  readonly signal?: AbortSignal;
}

/** How the body of an answer ended: whole, cut at `maxRead`, at the deadline, or broken off by the other side. */
type BodyEnd = 'whole' | 'cut' | 'deadline' | 'broken';

export type Exchanged =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, readonly string[]>>;
      readonly body: Uint8Array;
      readonly bytes: number;
      readonly end: BodyEnd;
      readonly timings: Timings;
    }
  | {
      readonly kind: 'failed';
      readonly cause: NoAnswerCause;
      readonly detail: string;
      /** What was thrown, for logs of ours: it may name addresses. */
      readonly error: unknown;
      readonly timings: Timings;
      /** A kept connection died before a byte of the answer came: that says nothing about the other side. */
      readonly stale: boolean;
    };

const MAX_HEADER_BYTES = 16_384;
/** Interim answers (1xx) before one is taken for malformed. */
const MAX_INTERIM = 100;

export function exchange(call: ExchangeCall): Promise<Exchanged> {
  return new Promise(resolve => new Exchange(call, resolve).start());
}

class Exchange {
  readonly #call: ExchangeCall;
  readonly #resolve: (result: Exchanged) => void;
  #request: ClientRequest | undefined;
  #response: IncomingMessage | undefined;
  #timer: NodeJS.Timeout | undefined;
  #socket: Socket | undefined;
  #bytesBefore = 0;
  #firstByteAt: number | undefined;
  #interim = 0;
  readonly #kept: Uint8Array[] = [];
  #keptBytes = 0;
  #bytes = 0;
  #done = false;

  constructor(call: ExchangeCall, resolve: (result: Exchanged) => void) {
    this.#call = call;
    this.#resolve = resolve;
  }

  start(): void {
    const { method, target, headers, body, agent, endsAt, signal } = this.#call;
    if (signal?.aborted) {
      this.#fail(new SendFailure('own_fault', 'the request was given up'));
      return;
    }
    const { protocol, host, port, path } = target;
    const send = protocol === 'https:' ? httpsRequest : httpRequest;
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    try {
      // Throws at once for a header value that cannot be sent.
      this.#request = send({
        ...{ protocol, host, port, path, method, agent },
        headers: { ...headers, ...length },
        maxHeaderSize: MAX_HEADER_BYTES,
        insecureHTTPParser: false,
      });
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#timer = setTimeout(this.#expire, Math.max(0, endsAt - performance.now()));
    signal?.addEventListener('abort', this.#abort, { once: true });
    this.#request
      .once('socket', socket => this.#use(socket))
      .on('information', this.#onInterim)
      .on('continue', this.#onInterim)
      .once('upgrade', (response, socket) => {
        this.#answer(response);
        this.#end('broken');
        socket.destroy();
      })
      .once('response', response => this.#read(response))
      .on('error', error => this.#fail(error))
      .once('close', () => this.#fail(new SendFailure('closed_early', 'the connection was closed without an answer')));
    this.#request.end(body);
  }

  #use(socket: Socket): void {
    this.#socket = socket;
    this.#bytesBefore = socket.bytesRead;
  }

  readonly #expire = (): void => {
    if (this.#response) this.#end('deadline');
    else
      this.#fail(
        new SendFailure('timeout', `no answer within ${Math.round(this.#call.endsAt - this.#call.startedAt)} ms`),
      );
  };

  readonly #abort = (): void => {
    if (this.#response) this.#end('broken');
    else this.#fail(new SendFailure('own_fault', 'the request was given up'));
  };

  readonly #onInterim = (): void => {
    this.#firstByteAt ??= performance.now();
    this.#interim += 1;
    if (this.#interim > MAX_INTERIM)
      this.#fail(new SendFailure('bad_http', `more than ${MAX_INTERIM} interim answers`));
  };

  #answer(response: IncomingMessage): void {
    this.#firstByteAt ??= performance.now();
    this.#response = response;
  }

  #read(response: IncomingMessage): void {
    this.#answer(response);
    response
      .on('data', (chunk: Buffer) => {
        const { maxKept, maxRead } = this.#call;
        const room = maxKept - this.#keptBytes;
        // Copied, and not as a Buffer: a slice would hold the whole block that the socket read, or Node's pool.
        if (room > 0) this.#kept.push(new Uint8Array(chunk.subarray(0, room)));
        this.#keptBytes += Math.min(room, chunk.length);
        this.#bytes += chunk.length;
        if (this.#bytes > maxRead) this.#end('cut');
      })
      .once('end', () => this.#end(response.complete ? 'whole' : 'broken'))
      .once('error', () => this.#end('broken'))
      .once('close', () => this.#end('broken'));
  }

  #end(end: BodyEnd): void {
    const response = this.#response;
    if (this.#done || !response) return;
    // A request whose body was not read to its end would hold its connection.
    this.#finish(end !== 'whole' || !this.#request?.writableFinished);
    this.#resolve({
      kind: 'answered',
      status: response.statusCode ?? 0,
      headers: headersOf(response.rawHeaders),
      body: concatBytes(this.#kept),
      bytes: this.#bytes,
      end,
      timings: this.#timings(),
    });
  }

  #fail(error: unknown): void {
    if (this.#response) this.#end('broken');
    if (this.#done) return;
    const progress = this.#progress();
    const { cause, detail } = failureOf(error, progress?.phase ?? 'open');
    const silent = this.#socket?.bytesRead === this.#bytesBefore;
    const died = cause === 'reset' || cause === 'closed_early';
    const stale = died && silent && this.#request?.reusedSocket === true;
    const timings = this.#timings();
    this.#finish(true);
    this.#resolve({ kind: 'failed', cause, detail, error, timings, stale });
  }

  #finish(destroy: boolean): void {
    this.#done = true;
    clearTimeout(this.#timer);
    this.#call.signal?.removeEventListener('abort', this.#abort);
    if (destroy) this.#request?.destroy();
  }

  /** Of a connection that was made for this request. */
  #progress(): Progress | undefined {
    return this.#socket && !this.#request?.reusedSocket ? progressOf(this.#socket) : undefined;
  }

  #timings(): Timings {
    const { startedAt } = this.#call;
    const { resolvedAt, connectedAt, securedAt } = this.#progress() ?? {};
    const since = (at: number) => Math.round(at - startedAt);
    return {
      ...(resolvedAt === undefined ? {} : { dns: since(resolvedAt) }),
      ...(connectedAt === undefined ? {} : { connect: since(connectedAt) }),
      ...(securedAt === undefined ? {} : { tls: since(securedAt) }),
      ...(this.#firstByteAt === undefined ? {} : { firstByte: since(this.#firstByteAt) }),
      total: since(performance.now()),
    };
  }
}

/** Lower-case names with their values in order; a name like `__proto__` is a name. */
function headersOf(raw: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    const values = found.get(name) ?? [];
    values.push(raw[i + 1] ?? '');
    found.set(name, values);
  }
  return Object.fromEntries(found);
}
