/**
 * The clients of the feed that the page shows, run against the portal's API: each message once and in order, over pages, over
 * an answer that fails and over a process that dies. Node and Python by default, all six languages in the long run.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { SETTLED_MS } from '#core/outbound/api/deliveries/feed-api.ts';
import { answerPortal } from '#core/outbound/portal/answer-portal.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';
import { POLL_FILES, POLL_PROGRAMS, POLL_WAITS } from '#test/kit/samples/poll-clients.ts';
import { interpreterOf } from '#test/kit/verify-snippets.ts';
import { LANGUAGES, type Language } from '../../../portal/app/verify-code.ts';

const asked: readonly Language[] = isLongRun() ? LANGUAGES : ['Node.js', 'Python'];
const FILES = join(import.meta.dirname, '../../../docs/send/poll');
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** The portal's API on a port; the first call of all is answered 503. */
async function serve() {
  const { app, call, publish, pass, ports, rules } = await withEndpoint();
  const { token } = (await call('POST /v1/apps/{app}/portal-tokens', { app }, { expires_in_seconds: 86_400 })).body;
  let calls = 0;
  const server = createServer(async (request, response) => {
    calls += 1;
    if (calls === 1) return void response.writeHead(503).end('{}');
    const query = Object.fromEntries(new URL(request.url ?? '', 'http://localhost').searchParams);
    const asks = { path: { app }, query, body: undefined, authorization: request.headers.authorization };
    const reply = await answerPortal({ route: 'GET /v1/apps/{app}/feed', ...asks, ports, rules, mayCall: () => true });
    response.writeHead(reply.status, reply.headers).end(reply.body);
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  ends.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const send = async (from: number, to: number): Promise<readonly string[]> => {
    const lines: string[] = [];
    for (let n = from; n < to; n++) {
      const { body } = await publish(
        app,
        JSON.stringify({ key: `k${n}`, type: 'invoice.paid', data: { n, of: 'Żółw' } }),
      );
      lines.push(`${body.id} invoice.paid ${n} Żółw`);
      pass(1_000);
    }
    pass(SETTLED_MS);
    return lines;
  };
  const env = { FEED_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed`, FEED_TOKEN: token };
  return { send, env, calls: () => calls };
}

/** A client that runs; `heard` waits until it has printed so many lines, and answers them. */
function start(language: Language, folder: string, env: object) {
  const [program, ...args] = POLL_PROGRAMS[language];
  const child = spawn(program, [...args, POLL_FILES[language]], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // With its children: `go run` starts the program that it made.
    detached: true,
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', text => {
    err += text;
  });
  const ended = new Promise<void>(done => child.once('close', () => done()));
  const kill = (): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
  };
  ends.push(kill);
  const linesOf = (): readonly string[] =>
    out.split('\n').flatMap(line => {
      const [, id, type, json = ''] = /^(\S+) (\S+) (\{.*\})$/.exec(line) ?? [];
      if (id === undefined) return [];
      const { n, of } = JSON.parse(json).data;
      return [`${id} ${type} ${n} ${of}`];
    });
  return {
    heard: async (many: number): Promise<readonly string[]> => {
      await expect.poll(() => linesOf().length, { timeout: 60_000, interval: 100 }).toBeGreaterThanOrEqual(many);
      return linesOf();
    },
    stop: async (): Promise<string> => {
      kill();
      await ended;
      return err;
    },
  };
}

for (const language of asked) {
  const version = interpreterOf(language);
  if (version === undefined)
    console.warn(`NOT RUN: the feed's ${language} client, because ${language} is not installed`);
  it.skipIf(version === undefined)(
    `in ${language}: each message once, in order, though an answer fails and the process dies`,
    { timeout: 180_000 },
    async () => {
      const { send, env, calls } = await serve();
      const folder = mkdtempSync(join(tmpdir(), 'holdfast-poll-'));
      ends.push(() => rmSync(folder, { recursive: true, force: true }));
      const code = readFileSync(join(FILES, POLL_FILES[language]), 'utf8');
      const [shown, tested] = POLL_WAITS[language];
      expect(code.split(shown)).toHaveLength(2);
      writeFileSync(join(folder, POLL_FILES[language]), code.replace(shown, tested));
      // 1. Over two pages, behind an answer that fails.
      const first = await send(0, 60);
      const one = start(language, folder, env);
      expect(await one.heard(60)).toEqual(first);
      // 2. What comes later, once it is asked again.
      const later = await send(60, 62);
      expect(await one.heard(62)).toEqual([...first, ...later]);
      await expect.poll(() => readFileSync(join(folder, 'after.txt'), 'utf8'), { timeout: 10_000 }).toMatch(/^\d{13}/);
      const before = calls();
      const place = join(folder, 'after.txt');
      const { mtimeMs } = statSync(place);
      await expect.poll(calls, { timeout: 60_000 }).toBeGreaterThan(before);
      // Killed while it writes its place, it would begin anew: the file is whole again first.
      await expect.poll(() => statSync(place).mtimeMs, { timeout: 10_000 }).toBeGreaterThan(mtimeMs);
      await expect.poll(() => readFileSync(place, 'utf8'), { timeout: 10_000 }).toMatch(/^\d{13}/);
      expect(await one.stop()).toContain('503');
      // 3. A new process begins where that one was.
      const last = await send(62, 63);
      const two = start(language, folder, env);
      expect(await two.heard(1)).toEqual(last);
      await two.stop();
    },
  );
}
