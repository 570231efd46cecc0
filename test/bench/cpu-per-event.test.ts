import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { measureRest, measureRound, sum } from '#bench/side-by-side/cpu-per-event.ts';
import { answersHttp } from '#test/adapters/contracts/java-services.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { startProgram } from '#test/kit/processes/programs.ts';
import type { RunningSystem } from '#test/kit/processes/system.ts';
import { freePort } from '#test/kit/servers/free-port.ts';

const PER_EVENT_MS = 4;
const AT_REST = 0.2;

/** Spends a known CPU time for each request, and a known share of a core always. */
const PROGRAM = `
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
const [port, log] = process.argv.slice(2);
const spend = ms => {
  for (const from = process.threadCpuUsage(); ; ) {
    const { user, system } = process.threadCpuUsage(from);
    if (user + system >= ms * 1000) return;
  }
};
let spentMs = 0;
const begunAt = performance.now();
setInterval(() => {
  // What a busy machine held up is made good.
  const dueMs = (performance.now() - begunAt) * ${AT_REST} - spentMs;
  spend(dueMs);
  spentMs += dueMs;
}, 50);
createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  if (body === '') return response.end(String(spentMs));
  spend(${PER_EVENT_MS});
  appendFileSync(log, JSON.parse(body).event_id + '\\n');
  response.end();
}).listen(Number(port), '127.0.0.1');
`;

// /proc and taskset are Linux's. It needs a machine at rest, and only the comparison with other programs depends on it.
it.runIf(process.platform === 'linux' && isLongRun())(
  'the CPU of a program for an event is told apart from what it spends at rest',
  { timeout: 30_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cpu-per-event-'));
    const [file, log] = [join(folder, 'program.mjs'), join(folder, 'log')];
    writeFileSync(file, PROGRAM);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const program = await startProgram(process.execPath, [file, String(port), log], { ready: () => answersHttp(url) });
    try {
      const system: RunningSystem = {
        url,
        roles: ['server'],
        kill: program.kill,
        pids: () => ({ programs: [program.pid], stores: [] }),
        async effects() {
          const ids = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
          return new Map(ids.map(id => [id, { times: 1 }]));
        },
        stop: program.kill,
      };
      // A busy machine moves some of what it spends by itself from one window into the next: it says how much.
      const clock = async () => ({ spentMs: Number(await (await fetch(url)).text()), at: performance.now() });
      const begun = await clock();
      const [rest] = await measureRest([system], 2);
      const rested = await clock();
      expect(sum(rest?.programs ?? {})).toBeGreaterThan(AT_REST * 0.5);
      const load = { perSecond: 60, seconds: 2, duplicates: 0.01, retryForMs: 0 };
      const round = await measureRound(system, load, rest ?? { programs: {}, stores: 0 });
      const ended = await clock();
      const perMs = (rested.spentMs - begun.spentMs) / (rested.at - begun.at);
      const movedMs = ended.spentMs - rested.spentMs - perMs * (ended.at - rested.at);
      const perEventMs = sum(round.programs) / 1_000 - movedMs / (load.perSecond * load.seconds);
      expect(round).toMatchObject({ refused: 0, unprocessed: 0, stores: 0 });
      // Node's own work on a request comes on top; the rest would add another eight.
      expect(perEventMs).toBeGreaterThan(PER_EVENT_MS * 0.9);
      expect(perEventMs).toBeLessThan(PER_EVENT_MS + 4);
    } finally {
      await program.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
