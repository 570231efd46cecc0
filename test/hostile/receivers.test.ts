/**
 * Receivers that misbehave, over plain HTTP on this machine, each with the class that must be seen. Who waits for
 * the deadline waits for 400 ms; everybody else must end long before theirs.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { guardedSender } from '#adapters/http/guarded-sender.ts';
import { classifyAnswer } from '#core/outbound/drain/classify-answer.ts';
import type { Answer, AnswerClass, SenderSession } from '#core/outbound/ports.ts';
import { livedTime } from '#test/kit/lived-time.ts';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';
import { answer, type Behaviour, type Receiver, startReceiver } from './raw-receiver.ts';

const DEADLINE_MS = 400;
const LATE_MS = DEADLINE_MS + 1_000;
/** Where the end must come by itself: long before this one. */
const AMPLE_MS = 8_000;
const AT_ONCE_MS = 4_000;

let receiver: Receiver | undefined;
let session: SenderSession | undefined;
const ended: (() => void)[] = [];

/** Of the engine itself, so that only what is held is counted. */
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

afterEach(async () => {
  session?.close();
  for (const end of ended.splice(0)) end();
  await receiver?.stop();
  receiver = undefined;
});

async function open(
  behaviour: Behaviour,
  cap = 2,
): Promise<{ receiver: Receiver; session: SenderSession; url: string }> {
  receiver = await startReceiver(behaviour);
  session = guardedSender({ ports: [443], ownHosts: [], allowAddresses: ['127.0.0.1'], connectMs: 200 }).open(cap);
  return { receiver, session, url: `http://127.0.0.1:${receiver.port}/in` };
}

const send = (
  to: { session: SenderSession; url: string },
  body: Uint8Array = Buffer.from('{"a":1}'),
  deadlineMs = AMPLE_MS,
): Promise<Answer> =>
  to.session.send(
    { url: to.url, headers: { 'content-type': 'application/json' }, body, deadlineMs },
    new AbortController().signal,
  );

/** One request to one who behaves so; its class, and the answer. */
async function seen(
  behaviour: Behaviour,
  deadlineMs?: number,
): Promise<{ class: AnswerClass; answer: Answer; tookMs: number; receiver: Receiver }> {
  const to = await open(behaviour);
  const startedAt = performance.now();
  const got = await send(to, undefined, deadlineMs);
  return {
    class: classifyAnswer(got, Date.now()).class,
    answer: got,
    tookMs: performance.now() - startedAt,
    receiver: to.receiver,
  };
}

/** Writes again and again until the connection ends. */
function drip(socket: { write(text: string): boolean; destroyed: boolean }, text: () => string, everyMs: number): void {
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(text())), everyMs);
  ended.push(() => clearInterval(timer));
}

function byteByByte(text: string): () => string {
  let at = 0;
  return () => text[at++ % text.length] ?? '';
}

/** Writes as fast as it is taken. */
function flood(socket: import('node:net').Socket, chunk: string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

const on = (act: NonNullable<Behaviour['onRequest']>): Behaviour => ({ onRequest: act });
const says = (text: string): Behaviour => on(socket => socket.write(text));
const saysAndEnds = (text: string): Behaviour => on(socket => socket.end(text));

// Holds O15.
describe('a receiver that is slow', () => {
  it.each<[string, Behaviour]>([
    ['accepts and never answers', {}],
    ['reads and never answers', on(() => {})],
    [
      'a byte of the header now and then',
      on(socket => drip(socket, byteByByte(`HTTP/1.1 200 OK\r\nlong: ${'y'.repeat(1_000)}`), 10)),
    ],
    [
      'a header line now and then',
      on(socket => {
        socket.write('HTTP/1.1 200 OK\r\n');
        drip(socket, () => 'x: y\r\n', 50);
      }),
    ],
    ['a status line and nothing else', says('HTTP/1.1 200 OK\r\n')],
    ['a header that never ends with its empty line', says('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n')],
    ['interim answers now and then', on(socket => drip(socket, () => 'HTTP/1.1 102 Processing\r\n\r\n', 50))],
    ['100 and nothing else', says('HTTP/1.1 100 Continue\r\n\r\n')],
  ])('%s: timeout at the deadline', async (_, behaviour) => {
    const got = await seen(behaviour, DEADLINE_MS);
    expect(got.class).toBe('timeout');
    expect(got.tookMs).toBeGreaterThanOrEqual(DEADLINE_MS - 20);
    expect(got.tookMs).toBeLessThan(LATE_MS);
    await expect.poll(() => got.receiver.open()).toBe(0);
  });

  it.each<[string, Behaviour]>([
    [
      'a body that drips',
      on(socket => {
        socket.write(answer(200, { 'content-length': '1000' }));
        drip(socket, () => 'x', 100);
      }),
    ],
    ['a body that never comes', says(answer(200, { 'content-length': '1000' }))],
    [
      'chunks that drip',
      on(socket => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
        drip(socket, () => '1\r\nx\r\n', 100);
      }),
    ],
    [
      'no length and no end',
      on(socket => {
        socket.write('HTTP/1.0 200 OK\r\n\r\n');
        drip(socket, () => 'x', 100);
      }),
    ],
  ])('%s after 200: a success with the body cut at the deadline', async (_, behaviour) => {
    const got = await seen(behaviour, DEADLINE_MS);
    expect(got.class).toBe('ok');
    expect(got.answer).toMatchObject({ status: 200, truncated: true });
    expect(got.tookMs).toBeLessThan(LATE_MS);
    await expect.poll(() => got.receiver.open()).toBe(0);
  });
});

describe('a receiver that is large', () => {
  it.each<[string, Behaviour]>([
    [
      'a body without end',
      on(socket => {
        socket.write(answer(200, { 'content-length': '10000000000' }));
        flood(socket, 'x'.repeat(65_536));
      }),
    ],
    [
      'chunks without end',
      on(socket => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
        flood(socket, '1000\r\n'.concat('x'.repeat(4_096), '\r\n'));
      }),
    ],
    [
      'chunk extensions without end',
      on(socket => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;');
        flood(socket, 'x'.repeat(65_536));
      }),
    ],
  ])('%s: a success, read to 16 KiB and given up', async (_, behaviour) => {
    const got = await seen(behaviour);
    expect(got.class).toBe('ok');
    if (got.answer.kind !== 'answered') throw new Error('no answer');
    expect(got.answer.truncated).toBe(true);
    expect(got.answer.body.length).toBeLessThanOrEqual(10 * 1_024);
    // What one read of the socket may bring on top.
    expect(got.answer.bytes).toBeLessThanOrEqual(16 * 1_024 + 65_536);
    await expect.poll(() => got.receiver.open()).toBe(0);
  });

  it.each<[string, Behaviour]>([
    [
      '5 MB of header',
      on(socket => {
        socket.write('HTTP/1.1 200 OK\r\n');
        flood(socket, `x: ${'y'.repeat(65_536)}\r\n`);
      }),
    ],
    [
      'one header line without end',
      on(socket => {
        socket.write('HTTP/1.1 200 OK\r\nx: ');
        flood(socket, 'y'.repeat(65_536));
      }),
    ],
    ['10,000 headers', saysAndEnds(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(10_000)}\r\n`)],
    ['200 interim answers', says(`${'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(200)}${answer(200)}`)],
    [
      'a status line without end',
      on(socket => {
        socket.write('HTTP/1.1 200 ');
        flood(socket, 'y'.repeat(65_536));
      }),
    ],
  ])('%s: bad_http', async (_, behaviour) => {
    const got = await seen(behaviour);
    expect(got.class).toBe('bad_http');
    expect(got.tookMs).toBeLessThan(AT_ONCE_MS);
    await expect.poll(() => got.receiver.open()).toBe(0);
  });

  it('a body in gzip: its bytes as they are', async () => {
    const { gzipSync } = await import('node:zlib');
    const bomb = gzipSync(Buffer.alloc(5_000_000));
    const head = answer(200, { 'content-encoding': 'gzip', 'content-length': String(bomb.length) });
    const got = await seen(
      on(socket => {
        socket.write(head);
        socket.write(bomb);
      }),
    );
    expect(got.class).toBe('ok');
    expect(got.answer).toMatchObject({ body: new Uint8Array(bomb.subarray(0, 10 * 1_024)) });
  });

  // Holds O15.
  it('keeps at most 32 KiB of each answer, however large', async () => {
    const endless = on(socket => {
      socket.write(answer(200, { 'content-length': '10000000000', filler: 'y'.repeat(12_000) }));
      flood(socket, 'x'.repeat(65_536));
    });
    const to = await open(endless, 100);
    const kept: Answer[] = [];
    const used = async () => {
      // What is under way on the receiver's side is not ours.
      await expect.poll(() => to.receiver.open()).toBe(0);
      await new Promise(resolve => setTimeout(resolve, 100));
      collectGarbage();
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    for (let i = 0; i < 20; i++) await send(to);
    const before = await used();
    for (let i = 0; i < 100; i++) kept.push(await send(to));
    const each = ((await used()) - before) / kept.length;
    expect(each).toBeLessThan(32 * 1_024 + 8_192);
  });
});

describe('fifty hostile requests at once (O15)', () => {
  it.each<[string, Behaviour]>([
    [
      'bodies without end',
      on(socket => {
        socket.write(answer(200, { 'content-length': '10000000000' }));
        flood(socket, 'x'.repeat(65_536));
      }),
    ],
    [
      'headers without end',
      on(socket => {
        socket.write('HTTP/1.1 200 OK\r\n');
        flood(socket, `x: ${'y'.repeat(8_000)}\r\n`);
      }),
    ],
    [
      'bytes that drip',
      on(socket => {
        socket.write('HTTP/1.1 200 OK\r\n');
        drip(socket, () => 'x: y\r\n', 20);
      }),
    ],
  ])('%s: each ends in time, and they keep 32 KiB each', async (_, behaviour) => {
    const AT_ONCE = 50;
    const to = await open(behaviour, AT_ONCE);
    const round = () => Promise.all(Array.from({ length: AT_ONCE }, () => send(to, undefined, DEADLINE_MS)));
    const held = async (): Promise<number> => {
      await expect.poll(() => to.receiver.open()).toBe(0);
      await new Promise(resolve => setTimeout(resolve, 100));
      collectGarbage();
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    await round();
    const before = await held();
    const lived = livedTime();
    const kept = await round();
    expect(lived()).toBeLessThan(LATE_MS);
    expect(kept).toHaveLength(AT_ONCE);
    expect(((await held()) - before) / AT_ONCE).toBeLessThan(32 * 1_024);
    recordRun(['O15'], 'hostile-receivers', AT_ONCE);
  });
});

describe('a receiver that breaks off', () => {
  it.each<[string, AnswerClass, Behaviour]>([
    ['closes at once', 'closed_early', { onConnect: socket => socket.end() }],
    ['closes when the request has come', 'closed_early', on(socket => socket.end())],
    ['closes within the status line', 'closed_early', saysAndEnds('HTTP/1.1 20')],
    ['closes within the header', 'closed_early', saysAndEnds('HTTP/1.1 200 OK\r\ncontent-le')],
    ['resets when the request has come', 'reset', on(socket => socket.resetAndDestroy())],
    [
      'resets within the header',
      'reset',
      on(socket => {
        socket.write('HTTP/1.1 200 OK\r\nconte');
        setTimeout(() => socket.resetAndDestroy(), 30);
      }),
    ],
    ['closes within the body', 'ok', saysAndEnds(answer(200, { 'content-length': '100' }, 'half'))],
    [
      'resets within the body',
      'ok',
      on(socket => {
        socket.write(answer(200, { 'content-length': '100' }, 'half'));
        setTimeout(() => socket.resetAndDestroy(), 30);
      }),
    ],
    ['closes within the body of a 500', 'server_error', saysAndEnds(answer(500, { 'content-length': '100' }, 'half'))],
    ['closes within a chunk', 'ok', saysAndEnds('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nhalf')],
  ])('%s: %s, at once', async (_, expected, behaviour) => {
    const got = await seen(behaviour);
    expect(got.class).toBe(expected);
    expect(got.tookMs).toBeLessThan(AT_ONCE_MS);
    if (expected === 'ok') expect(got.answer).toMatchObject({ truncated: true });
  });

  it('resets at once: reset, connect or closed early, by when we notice', async () => {
    const got = await seen({ onConnect: socket => socket.resetAndDestroy() });
    expect(['reset', 'connect', 'closed_early']).toContain(got.class);
  });

  it.each([413, 200])('answers %i before the body was sent, and reads on: the status counts', async status => {
    const to = await open(on(socket => socket.end(answer(status, { connection: 'close' }))));
    const got = await send(to, Buffer.alloc(4_000_000));
    expect(got).toMatchObject({ kind: 'answered', status });
  });

  it('answers 200 and reads no more: the status counts, and the connection is not used again', async () => {
    const to = await open({
      onRequest: socket => {
        socket.write(answer(200));
        socket.pause();
      },
    });
    for (let i = 0; i < 4; i++)
      expect(await send(to, Buffer.alloc(8_000_000))).toMatchObject({ kind: 'answered', status: 200 });
    expect(to.receiver.connections()).toBe(4);
  });

  it('nobody listens: connect', async () => {
    const to = await open({});
    await to.receiver.stop();
    expect(classifyAnswer(await send(to), 0)).toMatchObject({ class: 'connect', fault: 'endpoint' });
  });
});

describe('answers that are odd', () => {
  const then204 = (first: string) => says(`${first}${answer(204)}`);
  it.each<[string, AnswerClass, Behaviour]>([
    ['100 then 204', 'ok', then204('HTTP/1.1 100 Continue\r\n\r\n')],
    ['102 then 204', 'ok', then204('HTTP/1.1 102 Processing\r\n\r\n')],
    ['103 then 204', 'ok', then204('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')],
    ['100 interim answers then 204', 'ok', then204('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100))],
    [
      '101, another protocol',
      'other_status',
      says('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
    ],
    ['HTTP/1.0', 'ok', saysAndEnds('HTTP/1.0 200 OK\r\n\r\nok')],
    ['no length, ended by the close', 'ok', saysAndEnds('HTTP/1.1 200 OK\r\n\r\nok')],
    ['chunks', 'ok', says('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n')],
    ['no reason', 'ok', says('HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n')],
    ['status 999', 'other_status', says(answer(999))],
    ['status 600', 'other_status', says(answer(600))],
    ['two lengths', 'bad_http', says('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok!')],
    [
      'length and chunks',
      'bad_http',
      says('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'),
    ],
    ['a negative length', 'bad_http', says('HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n')],
    ['line feeds only', 'bad_http', says('HTTP/1.1 200 OK\ncontent-length: 2\n\nok')],
    ['a colon-less header', 'bad_http', says('HTTP/1.1 200 OK\r\nhello\r\n\r\n')],
    ['a control character in a header', 'bad_http', says('HTTP/1.1 200 OK\r\nx: a\u0000b\r\n\r\n')],
    ['status of two digits', 'bad_http', says('HTTP/1.1 20 OK\r\n\r\n')],
    ['HTTP/2.0 in the status line', 'ok', says('HTTP/2.0 200 OK\r\ncontent-length: 0\r\n\r\n')],
    ['frames of HTTP/2', 'bad_http', says('\u0000\u0000\u0012\u0004\u0000\u0000\u0000\u0000\u0000')],
    ['no HTTP at all', 'bad_http', saysAndEnds('220 mail.customer.com ESMTP\r\n')],
    ['a redis error', 'bad_http', saysAndEnds("-ERR unknown command 'POST'\r\n")],
    ['an empty line before the status', 'ok', says(`\r\n${answer(200)}`)],
  ])('%s: %s', async (_, expected, behaviour) => {
    const got = await seen(behaviour);
    expect([got.class, got.answer.kind === 'failed' && got.answer.detail]).toEqual([expected, expect.anything()]);
    expect(got.tookMs).toBeLessThan(AT_ONCE_MS);
  });

  it('a bad chunk: the status counts, the body is cut', async () => {
    const got = await seen(says('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nok\r\n'));
    expect(got.class).toBe('ok');
    expect(got.answer).toMatchObject({ truncated: true });
  });

  it('headers of every sort are given as they came', async () => {
    const got = await seen(
      says(
        `HTTP/1.1 200 OK\r\nRetry-After: 5\r\nretry-after: 7\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\n__proto__: x\r\nconstructor: y\r\nwebhook-signature: v1,theirs\r\nansi: \u001b[31m${'z'.repeat(4_096)}\r\ncontent-length: 0\r\n\r\n`.replace(
          '\u001b',
          '',
        ),
      ),
    );
    expect(got.answer).toMatchObject({
      headers: { 'retry-after': ['5', '7'], 'set-cookie': ['a=1', 'b=2'], 'webhook-signature': ['v1,theirs'] },
    });
    if (got.answer.kind !== 'answered') throw new Error('no answer');
    expect(Object.hasOwn(got.answer.headers, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(got.answer.headers)).toBe(Object.prototype);
  });
});

// Holds O14.
describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('%i is an answer: one connection, whatever it points to', async status => {
    const places = [
      '/in',
      'http://127.0.0.1:1/',
      'http://169.254.169.254/latest/meta-data/',
      'http://127.0.0.1:9001/2018-06-01/runtime/invocation/next',
      'file:///etc/passwd',
    ];
    let n = 0;
    const to = await open(on(socket => socket.write(answer(status, { location: places[n++] ?? '' }))));
    for (const location of places) {
      const got = await send(to);
      expect(classifyAnswer(got, 0).class).toBe('redirect');
      expect(got).toMatchObject({ status, headers: { location: [location] } });
    }
    expect(to.receiver.connections()).toBe(1);
    expect(to.receiver.requests()).toBe(places.length);
  });
});

describe('kept connections', () => {
  it('serve one request after the other, and cookies are not given back', async () => {
    const to = await open(on(socket => socket.write(answer(200, { 'set-cookie': 'a=1' }))));
    for (let i = 0; i < 5; i++) expect(await send(to)).toMatchObject({ status: 200 });
    expect(to.receiver.connections()).toBe(1);
    expect(Buffer.concat(to.receiver.received()).toString()).not.toMatch(/cookie/i);
  });

  it('are not used again after connection: close', async () => {
    const to = await open(on(socket => socket.write(answer(200, { connection: 'close' }))));
    for (let i = 0; i < 3; i++) expect(await send(to)).toMatchObject({ status: 200 });
    expect(to.receiver.connections()).toBe(3);
  });

  it('are not used again after a second when the receiver says so', async () => {
    const to = await open(
      on(socket => socket.write(answer(200, { 'keep-alive': 'timeout=1', connection: 'keep-alive' }))),
    );
    await send(to);
    await new Promise(resolve => setTimeout(resolve, 100));
    expect(await send(to)).toMatchObject({ status: 200 });
    expect(to.receiver.requests()).toBe(2);
  });

  it.each(['closes', 'resets'])(
    'that the receiver %s just as it is used cost no attempt: once more on a new one',
    async how => {
      const to = await open(
        on((socket, n) => {
          if (n === 1) socket.write(answer(200));
          else if (how === 'closes') socket.end();
          else socket.resetAndDestroy();
        }),
      );
      for (let i = 0; i < 4; i++) expect(await send(to)).toMatchObject({ kind: 'answered', status: 200 });
      // 1 kept and lost, 2 on its own, 3 kept again, 4 lost: twice a request more than asked for.
      expect(to.receiver.requests() - 4).toBe(to.receiver.connections() - 2);
    },
  );

  it('that answer half a line and close do cost one', async () => {
    const to = await open(on((socket, n) => (n === 1 ? socket.write(answer(200)) : socket.end('HTTP/1.1 5'))));
    expect(await send(to)).toMatchObject({ status: 200 });
    expect(await send(to)).toMatchObject({ kind: 'failed', cause: 'closed_early' });
    expect(to.receiver.connections()).toBe(1);
  });

  it('are tried once more only once', async () => {
    const to = await open(
      on((socket, n) => {
        if (to.receiver.connections() === 1 && n === 1) socket.write(answer(200));
        else socket.resetAndDestroy();
      }),
    );
    await send(to);
    expect(await send(to)).toMatchObject({ kind: 'failed', cause: 'reset' });
    expect(to.receiver.connections()).toBe(2);
  });
});
