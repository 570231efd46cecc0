import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import {
  createServer as createSecureServer,
  getCACertificates,
  setDefaultCACertificates,
  type TLSSocket,
} from 'node:tls';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Connections, keepConnections, type Limits } from '#adapters/aws/signed/connections.ts';

const LIMITS: Limits = { connectionTimeout: 4_000, requestTimeout: 4_000, socketTimeout: 4_000 };
const SHORT: Limits = { connectionTimeout: 150, requestTimeout: 150, socketTimeout: 150 };
const REQUEST = 'POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 2\r\n\r\n{}';
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';

/** What the service does with the request of a connection; `nth`: of all, from 1. */
type Behaviour = (socket: Socket, nth: number) => void;

let behave: Behaviour;
let requests: string[];
let sockets: Socket[];
let server: ReturnType<typeof createServer>;
let connections: Connections;

function serve(socket: Socket): void {
  sockets.push(socket);
  socket.on('error', () => {});
  socket.on('data', chunk => {
    requests.push(chunk.toString('utf8'));
    behave(socket, requests.length);
  });
}

beforeEach(async () => {
  behave = socket => socket.write(OK);
  requests = [];
  sockets = [];
  server = createServer(serve);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  connections = connect(LIMITS);
});
afterEach(async () => {
  connections.destroy();
  for (const socket of sockets) socket.destroy();
  await new Promise(resolve => server.close(resolve));
});

const connect = (limits: Limits): Connections =>
  keepConnections(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), limits);
const ask = (text = REQUEST, signal?: AbortSignal) => connections.exchange(text, true, signal);
const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

describe('calls', () => {
  test('follow each other on one connection, and go side by side on several', async () => {
    for (let n = 0; n < 3; n++) expect((await ask()).status).toBe(200);
    expect(sockets).toHaveLength(1);
    await Promise.all([ask(), ask(), ask()]);
    expect(sockets).toHaveLength(3);
    expect(requests).toEqual(Array(6).fill(REQUEST));
  });

  test('send each character as it is', async () => {
    await connections.exchange('{"a":"Grüße, 世界 🎉"}', false);
    expect(requests).toEqual(['{"a":"Grüße, 世界 🎉"}']);
  });

  test('wait for a connection where fifty are open', async () => {
    let most = 0;
    let open = 0;
    behave = socket => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open -= 1;
        socket.write(OK);
      }, 20);
    };
    await Promise.all(Array.from({ length: 120 }, () => ask()));
    expect(most).toBe(50);
    expect(sockets).toHaveLength(50);
  });

  test('that wait begin when a connection fails', async () => {
    behave = (socket, nth) => (nth <= 50 ? socket.destroy() : socket.write(OK));
    const all = await Promise.allSettled(Array.from({ length: 60 }, () => ask()));
    expect(all.filter(it => it.status === 'fulfilled')).toHaveLength(10);
  });

  test('get the answer of their own, in whatever pieces', async () => {
    behave = async (socket, nth) => {
      const text = `HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n${nth}`;
      for (const each of text) {
        socket.write(each);
        await new Promise(setImmediate);
      }
    };
    expect((await ask()).bytes.toString()).toBe('1');
    expect((await ask()).bytes.toString()).toBe('2');
  });
});

describe('a connection is not used again', () => {
  test('that the service has ended', async () => {
    behave = socket => socket.end(OK);
    await ask();
    await pause(20);
    await ask();
    expect(sockets).toHaveLength(2);
  });

  test('that the service said it will end', async () => {
    behave = socket => socket.write(OK.replace('content', 'connection: close\r\ncontent'));
    await ask();
    await ask();
    expect(sockets).toHaveLength(2);
  });

  test('in the last second that the service promised', async () => {
    behave = socket => socket.write(OK.replace('content', 'keep-alive: timeout=1\r\ncontent'));
    await ask();
    await ask();
    expect(sockets).toHaveLength(2);
  });

  test('on which more came than was asked for', async () => {
    behave = (socket, nth) => {
      socket.write(OK);
      // The answer to nobody's question must not be taken for the next one.
      if (nth === 1) setTimeout(() => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil'), 5);
    };
    await ask();
    await pause(30);
    expect((await ask()).bytes.toString()).toBe('{}');
    expect(sockets).toHaveLength(2);
  });

  test('whose answer went on after its end', async () => {
    behave = (socket, nth) => socket.write(nth === 1 ? `${OK}${OK}` : OK);
    await expect(ask()).rejects.toThrow(/more than it announced/);
    await ask();
    expect(sockets).toHaveLength(2);
  });

  test('when another one of that age has ended', async () => {
    let answers: (() => void)[] = [];
    behave = (socket, nth) => {
      if (nth === 3) socket.resetAndDestroy();
      else if (nth > 3) socket.write(OK);
      else answers.push(() => socket.write(OK));
      if (answers.length === 2) for (const answer of answers.splice(0)) answer();
    };
    await Promise.all([ask(), ask()]);
    answers = [];
    await expect(ask()).rejects.toMatchObject({ code: 'ECONNRESET' });
    await ask();
    expect(sockets).toHaveLength(3);
  });
});

describe('a call ends with an error', () => {
  const fails = (behaviour: Behaviour) => {
    behave = behaviour;
    return expect(ask()).rejects;
  };
  test('where the service ends the connection before, within and instead of the answer', async () => {
    await fails(socket => socket.end()).toMatchObject({ code: 'ECONNRESET' });
    await fails(socket => socket.end(OK.slice(0, 30))).toMatchObject({ code: 'ECONNRESET' });
    await fails(socket => socket.end(OK.slice(0, -1))).toMatchObject({ code: 'ECONNRESET' });
    await fails(socket => socket.resetAndDestroy()).toMatchObject({ code: 'ECONNRESET' });
  });

  test('where the service is silent, begins and is silent, or is never done', async () => {
    const late = { name: 'TimeoutError' };
    connections = connect(SHORT);
    await fails(() => {}).toMatchObject({ ...late, message: 'the answer took longer than 150 ms' });
    await fails(socket => socket.write('HTTP/1.1 200 OK\r\n')).toMatchObject(late);
    await fails(socket => socket.write(OK.slice(0, -1))).toMatchObject({
      ...late,
      message: 'the next part of the answer took longer than 150 ms',
    });
    await fails(async socket => {
      for (let n = 0; n < 100 && !socket.destroyed; n++) {
        socket.write('HTTP/1.1 100 Continue\r\n\r\n');
        await pause(10);
      }
    }).toMatchObject(late);
  });

  test('where nobody listens', async () => {
    const nowhere = keepConnections(new URL('http://127.0.0.1:9'), LIMITS);
    await expect(nowhere.exchange(REQUEST, true)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('when it is aborted: before it begins, while it waits for a connection, and for its answer', async () => {
    await expect(ask(REQUEST, AbortSignal.abort('late'))).rejects.toMatchObject({ name: 'AbortError', cause: 'late' });
    expect(sockets).toHaveLength(0);
    behave = () => {};
    const controller = new AbortController();
    const all = Array.from({ length: 51 }, () => ask(REQUEST, controller.signal));
    await expect.poll(() => requests.length).toBe(50);
    controller.abort();
    for (const each of await Promise.allSettled(all)) expect(each).toMatchObject({ reason: { name: 'AbortError' } });
    behave = socket => socket.write(OK);
    expect((await ask(REQUEST, new AbortController().signal)).status).toBe(200);
    expect(requests).toHaveLength(51);
  });
});

describe('over TLS', () => {
  const pemOf = (file: string): string => readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8');
  /** Of 127.0.0.1, and of other names. */
  const [here, elsewhere] = [pemOf('bench/loopback/loopback.pem'), pemOf('test/fixtures/key-server.pem')];
  const known = getCACertificates('default');
  let secure: ReturnType<typeof createSecureServer>;

  /** Connections to a service with this certificate, where this one is trusted. */
  async function connectTo(pem: string, trusted: string | undefined): Promise<Connections> {
    const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/;
    setDefaultCACertificates([...known, ...(certificate.exec(trusted ?? '') ?? [])]);
    secure = createSecureServer({ cert: pem, key: pem }, serve);
    await new Promise<void>(resolve => secure.listen(0, '127.0.0.1', resolve));
    const url = new URL(`https://127.0.0.1:${(secure.address() as AddressInfo).port}`);
    // Certificates are read once in the life of a function.
    vi.resetModules();
    const fresh = await import('#adapters/aws/signed/connections.ts');
    return fresh.keepConnections(url, LIMITS);
  }
  afterEach(async () => {
    setDefaultCACertificates(known);
    await new Promise(resolve => secure.close(resolve));
  });

  test('calls follow each other, and a second handshake is the shorter one', async () => {
    const to = await connectTo(here, here);
    expect((await to.exchange(REQUEST, true)).bytes.toString()).toBe('{}');
    expect((await to.exchange(REQUEST, true)).bytes.toString()).toBe('{}');
    expect(sockets).toHaveLength(1);
    to.destroy();
    await pause(20);
    await to.exchange(REQUEST, true);
    expect((sockets[1] as TLSSocket).isSessionReused()).toBe(true);
    to.destroy();
  });

  test.each([
    ['that nobody vouches for', here, undefined, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['of another name', elsewhere, elsewhere, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('nothing is said to a service with a certificate %s', async (_name, pem, trusted, code) => {
    const to = await connectTo(pem, trusted);
    await expect(to.exchange(REQUEST, true)).rejects.toMatchObject({ code });
    await pause(20);
    expect(requests).toEqual([]);
  });
});
