/** What an attempt holds at its highest, while fifty receivers at once answer as badly as they can, and that a small heap is enough. */
import { execFile } from 'node:child_process';
import type { Socket } from 'node:net';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordRun } from '#test/kit/runner/proof-ledger.ts';
import type { PeakMemory } from './attempt-memory.ts';
import { answer, type Receiver, startReceiver } from './raw-receiver.ts';

const AT_ONCE = 50;
/** Those that end by themselves have time to, on a busy machine, too. */
const DEADLINE_MS = 20_000;
const SHORT_MS = 2_000;
/** For each attempt: measured 16 to 36 KiB with the limits, over 1,000 for a body when nothing limits it. */
const MOST = 128 * 1_024;
/** A heap in which garbage must be collected soon: an attempt that fills it ends the process, and the test. */
const SMALL_HEAP = ['--max-old-space-size=48', '--max-semi-space-size=2'];
const SENDER = fileURLToPath(new URL('attempt-memory.ts', import.meta.url));
const BOMB = gzipSync(Buffer.alloc(10_000_000));

/** Writes as fast as it is taken. */
function flood(socket: Socket, chunk: string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

/** 100 KB a second, up to the deadline. */
function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write(`400\r\n${'x'.repeat(1_024)}\r\n`), 10);
  socket.once('close', () => clearInterval(timer));
}

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

/** By the path of the request. */
const HOSTILE: Readonly<Record<string, (socket: Socket) => void>> = {
  well: socket => socket.write(answer(200)),
  body: socket => {
    socket.write(answer(200, { 'content-length': '10000000000' }));
    flood(socket, 'x'.repeat(65_536));
  },
  chunks: socket => {
    socket.write(CHUNKED);
    flood(socket, '1000\r\n'.concat('x'.repeat(4_096), '\r\n'));
  },
  header: socket => {
    socket.write('HTTP/1.1 200 OK\r\n');
    flood(socket, `x: ${'y'.repeat(8_000)}\r\n`);
  },
  interim: socket => flood(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(50)),
  gzip: socket => {
    socket.write(answer(200, { 'content-encoding': 'gzip', 'content-length': String(BOMB.length) }));
    socket.write(BOMB);
  },
  drip: socket => {
    socket.write(CHUNKED);
    drip(socket);
  },
};

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver({
    onRequest: (socket, _, head) => HOSTILE[/^POST \/(\w+)/.exec(head)?.[1] ?? '']?.(socket),
  });
});
afterAll(() => receiver.stop());

async function peakOf(path: string, deadlineMs: number): Promise<PeakMemory> {
  const url = `http://127.0.0.1:${receiver.port}/${path}`;
  const { stdout } = await promisify(execFile)(execPath, [
    ...['--expose-gc', ...SMALL_HEAP, SENDER, url],
    ...[`${AT_ONCE}`, `${deadlineMs}`],
  ]);
  return JSON.parse(stdout) as PeakMemory;
}

// Holds O15.
it.each([
  ['a body without end', 'body', AT_ONCE],
  ['chunks without end', 'chunks', AT_ONCE],
  ['headers without end', 'header', 0],
  ['interim answers without end', 'interim', 0],
  ['10 MB of zeros in 10 KB of gzip', 'gzip', AT_ONCE],
  ['a body that drips until the deadline', 'drip', AT_ONCE],
])('%s: fifty at once never hold more than 128 KiB each', async (_, path, answered) => {
  const peak = await peakOf(path, path === 'drip' ? SHORT_MS : DEADLINE_MS);
  expect(peak.held / AT_ONCE).toBeLessThan(MOST);
  expect(peak.answered).toBe(answered);
  recordRun(['O15'], 'peak-memory', AT_ONCE);
});
