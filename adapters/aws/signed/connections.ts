/**
 * Kept connections to one service, each with one call at a time. In place of node:http, whose agents, streams and headers
 * cost more CPU than our calls themselves (docs/decisions/0005).
 */
import { isIP, connect as openPlain, type Socket } from 'node:net';
import { createSecureContext, connect as openSecure, type SecureContext } from 'node:tls';
import { type Answer, answerReader } from './answer-reader.ts';

export interface Limits {
  readonly connectionTimeout: number;
  /** Until the answer begins. */
  readonly requestTimeout: number;
  /** Between two parts of it. */
  readonly socketTimeout: number;
}

export interface Connections {
  /**
   * Sends a whole request, `isAscii` if each of its characters is. Throws Error when the connection fails, takes too long or
   * brings no answer, or `signal` aborts: nobody knows then whether the service carried it out.
   */
  exchange(text: string, isAscii: boolean, signal?: AbortSignal): Promise<Answer>;
  /** Ends what is idle. */
  destroy(): void;
}

const MAX_OPEN = 50;
const KEEP_ALIVE_PROBE_MS = 1_000;
/** A connection is not used in the last second that its service promises to keep it. */
const KEEP_MARGIN_MS = 1_000;

interface Call {
  /** The whole request. */
  readonly text: string;
  readonly isAscii: boolean;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  carrier?: Connection;
}

interface Connection {
  carry(call: Call): void;
  isUsable(): boolean;
  /** Ends it, and its call with this error. */
  end(error?: Error): void;
}

/** Of Node's defaults, and the same for all services: making one for each connection costs as much as half a handshake. */
let context: SecureContext | undefined;

/** Opens none before the first call. */
export function keepConnections(endpoint: URL, limits: Limits): Connections {
  const { hostname, protocol } = endpoint;
  const isSecure = protocol === 'https:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const port = Number(endpoint.port || (isSecure ? 443 : 80));
  const idle: Connection[] = [];
  const waiting: Call[] = [];
  let open = 0;
  /** Of the last handshake: it makes the next one shorter. */
  let session: Buffer | undefined;

  function begin(call: Call): void {
    let connection = idle.pop();
    while (connection && !connection.isUsable()) {
      connection.end();
      connection = idle.pop();
    }
    if (!connection && open >= MAX_OPEN) waiting.push(call);
    else (connection ?? connect()).carry(call);
  }

  function openSocket(): Socket {
    if (!isSecure) return openPlain(port, host);
    context ??= createSecureContext();
    const options = { host, port, servername: isIP(host) ? '' : host, ALPNProtocols: ['http/1.1'] };
    return openSecure({ ...options, secureContext: context, ...(session ? { session } : {}) }).on(
      'session',
      (bytes: Buffer) => {
        session = bytes;
      },
    );
  }

  function connect(): Connection {
    let call: Call | undefined;
    let read = answerReader();
    let isReady = false;
    let keptUntil = Number.POSITIVE_INFINITY;
    const limit = (what: string, ms: number): NodeJS.Timeout =>
      setTimeout(() => {
        connection.end(Object.assign(new Error(`${what} took longer than ${ms} ms`), { name: 'TimeoutError' }));
      }, ms);
    let timer: NodeJS.Timeout | undefined;
    const connecting = limit('connecting', limits.connectionTimeout);

    const connection: Connection = {
      carry(next) {
        call = next;
        call.carrier = connection;
        read = answerReader();
        timer = limit('the answer', limits.requestTimeout);
        socket.ref();
        write();
      },
      isUsable: () => socket.writable && Date.now() < keptUntil,
      end(error) {
        const ended = call;
        call = undefined;
        clearTimeout(timer);
        socket.destroy();
        const at = idle.indexOf(connection);
        if (at >= 0) idle.splice(at, 1);
        // A frozen function does not see that a service ends its connections: the next call finds out by an error, and its
        // second try must not take another one of that age.
        destroy();
        if (error) ended?.reject(error);
      },
    };
    open += 1;
    const socket = openSocket()
      .setNoDelay(true)
      .setKeepAlive(true, KEEP_ALIVE_PROBE_MS)
      .once('connect', () => clearTimeout(connecting))
      // Nothing is written to a service before its certificate is known to be genuine.
      .once(isSecure ? 'secureConnect' : 'connect', () => {
        isReady = true;
        write();
      })
      .on('data', take)
      .on('error', error => {
        session = undefined;
        connection.end(error);
      })
      .once('close', () => {
        clearTimeout(connecting);
        connection.end(Object.assign(new Error('the connection ended before its answer'), { code: 'ECONNRESET' }));
        open -= 1;
        const next = waiting.shift();
        if (next) begin(next);
      });
    return connection;

    function write(): void {
      if (call && isReady) socket.write(call.text, call.isAscii ? 'latin1' : 'utf8');
    }

    function take(piece: Buffer): void {
      // Nobody asked: whatever it is, it must not be taken for the next answer.
      if (!call) {
        connection.end();
        return;
      }
      try {
        const answer = read(piece);
        if (answer === undefined) return;
        clearTimeout(timer);
        if (answer === 'begun') timer = limit('the next part of the answer', limits.socketTimeout);
        else finish(call, answer);
      } catch (error) {
        connection.end(error as Error);
      }
    }

    function finish({ resolve }: Call, answer: Answer): void {
      call = undefined;
      const seconds = /\btimeout=(\d+)/.exec(String(answer.headers['keep-alive']))?.[1];
      if (seconds) keptUntil = Date.now() + Number(seconds) * 1_000 - KEEP_MARGIN_MS;
      const next = waiting.shift();
      // An idle connection keeps no program alive.
      socket.unref();
      if (!answer.keep) connection.end();
      else if (!next) idle.push(connection);
      if (next) answer.keep ? connection.carry(next) : begin(next);
      resolve(answer);
    }
  }

  function destroy(): void {
    for (const each of idle.splice(0)) each.end();
  }

  return {
    exchange: (text, isAscii, signal) =>
      new Promise((resolve, reject) => {
        const end = (): void => signal?.removeEventListener('abort', abort);
        const call: Call = {
          text,
          isAscii,
          resolve: answer => {
            end();
            resolve(answer);
          },
          reject: error => {
            end();
            reject(error);
          },
        };
        function abort(): void {
          const cause = signal?.reason;
          const error = Object.assign(new Error('the call was aborted', { cause }), { name: 'AbortError' });
          if (call.carrier) call.carrier.end(error);
          else {
            waiting.splice(waiting.indexOf(call) >>> 0, 1);
            call.reject(error);
          }
        }
        signal?.addEventListener('abort', abort);
        if (signal?.aborted) abort();
        else begin(call);
      }),
    destroy,
  };
}
