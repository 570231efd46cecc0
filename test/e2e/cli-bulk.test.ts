/** The CLI over thousands of events on the real stacks, and the recording of it in the documentation. Long runs only. */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { HOUR_MS } from '#core/time.ts';
import { findPython } from '#local/emulator/python.ts';
import type { Gateway } from '#operator/gateway.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { runOnAws } from './cli-on-aws.ts';
import { fix, RECORDING, recordCli, wordsIn } from './cli-recording.ts';
import { GatewayUnderTest, genericEvent, pkOf } from './gateway-under-test.ts';
import { multiplyEvent } from './multiply-event.ts';
import { reportMissingPython } from './needs-python.ts';

const AT_ONCE = 20;
const python = isLongRun() ? await findPython() : undefined;
if (isLongRun()) reportMissingPython(python);

describe.skipIf(!python)('the CLI on a gateway of its own', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await GatewayUnderTest.start();
  }, 600_000);
  afterAll(() => gateway?.stop());

  it('prints what was recorded', async () => {
    const recorded = readFileSync(RECORDING, 'utf8').trimEnd();
    expect(wordsIn(await recordCli(gateway)), 'npm run docs:cli writes it anew').toEqual(wordsIn(recorded));
  }, 600_000);

  it('replays 2,400 dead events at 50 a second, with progress, each with one effect', async () => {
    const fillingSince = performance.now();
    const keys = await fillWithDeadEvents(gateway, 2_400);
    const fillSeconds = Math.round((performance.now() - fillingSince) / 1_000);
    await fix(gateway);
    const filter = ['--cause', 'schema', '--source', 'default', '--type', 'test.schema_new', '--since', '7h'];
    const dry = await runOnAws(gateway, ['replay', ...filter, '--dry-run', '--json']);
    expect(JSON.parse(dry.stdout)).toMatchObject({ count: 2_400, rate_per_second: 50 });
    const startedAt = performance.now();
    const { code, stdout, stderr } = await runOnAws(
      gateway,
      [...['replay', ...filter, '--why', 'the schema is fixed', '--yes', '--json']],
      { onOutput: (text, name) => name === 'stderr' && process.stderr.write(text) },
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      state: 'done',
      counts: { replayed: 2_400 },
      why: 'the schema is fixed',
    });
    expect(stderr).toMatch(/Replaying \[[#.]+\] \d+\/2400 about \d+ (?:s|min) left/);
    expect(seconds, 'not faster than its rate').toBeGreaterThan(2_400 / 50 - 1);
    const last = await untilAllCompleted(gateway, keys);
    console.log(
      `2,400 dead events loaded in ${fillSeconds} s, replayed in ${Math.round(seconds)} s; the last one ended ${Math.round((performance.now() - startedAt) / 1_000)} s after the start; ${last}`,
    );
  }, 1_200_000);

  it('answers the first page of events ls in under 2 s with 10,000 events, and never scans', async () => {
    await fillWithEvents(gateway, 10_000);
    const lists: Readonly<Record<string, readonly string[]>> = {
      everything: [],
      'one source': ['--source', 'stripe'],
      'one status': ['--status', 'completed'],
      'dead letters': ['--status', 'dead_letter'],
      'open events': ['--status', 'pending,failed,processing'],
      'a cause': ['--cause', 'schema'],
      'a type': ['--type', 'test.schema_old'],
      'a type nobody has': ['--type', 'nobody.*'],
      'some hours': ['--since', '6h', '--until', '3h'],
      'all of these': ['--source', 'default', '--status', 'dead_letter', '--cause', 'schema', '--since', '12h'],
    };
    const rows: string[] = [];
    for (const [name, filter] of Object.entries(lists)) {
      const looks = [await look(gateway, filter), await look(gateway, filter), await look(gateway, filter)];
      // What else runs on this machine only adds.
      const ms = Math.min(...looks.map(each => each.ms));
      const [{ events, calls } = { events: 0, calls: new Map<string, number>() }] = looks;
      rows.push(`${name}: ${events} events, ${ms} ms, ${JSON.stringify(Object.fromEntries(calls))}`);
      expect(calls.get('scan'), name).toBeUndefined();
      if (!/nobody|open/.test(name)) expect(events, name).toBe(30);
      expect(ms, rows.join('\n')).toBeLessThan(2_000);
    }
    console.log(rows.join('\n'));
  }, 600_000);
});

/** One first page: how many events, how long it took, and what was asked of the store. */
async function look(
  gateway: GatewayUnderTest,
  filter: readonly string[],
): Promise<{ readonly events: number; readonly ms: number; readonly calls: ReadonlyMap<string, number> }> {
  const calls = new Map<string, number>();
  const startedAt = performance.now();
  const { code, stdout, stderr } = await runOnAws(gateway, ['events', 'ls', '--json', ...filter], {
    wrap: opened => counting(opened, calls),
  });
  const ms = Math.round(performance.now() - startedAt);
  expect(code, stderr).toBe(0);
  return { events: (JSON.parse(stdout) as { events: unknown[] }).events.length, ms, calls };
}

/** A gateway whose store notes every call by name. */
function counting(opened: Gateway, calls: Map<string, number>): Gateway {
  const store = new Proxy(opened.store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        calls.set(String(property), (calls.get(String(property)) ?? 0) + 1);
        return value.apply(target, args) as unknown;
      };
    },
  });
  return { ...opened, store };
}

/** Copies of one completed and one dead event, over a day and two sources. */
async function fillWithEvents(gateway: GatewayUnderTest, count: number): Promise<void> {
  await fix(gateway, false);
  const [good, dead] = [genericEvent('test.effect'), genericEvent('test.schema_old')];
  for (const event of [good, dead]) expect((await gateway.sendUntilAcknowledged('default', event)).status).toBe(200);
  await gateway.waitUntilFinished(good.pk);
  await gateway.waitFor(dead.pk, item => item.dlqSent === true);
  const now = Date.now();
  const at = (n: number, of: number): number => now - 60_000 - Math.floor((n / of) * 23.5 * HOUR_MS);
  const deadCount = count / 10;
  for (const source of ['default', 'stripe']) {
    await multiplyEvent(gateway, dead.pk, deadCount / 2, n => ({ source, receivedAt: at(n, deadCount / 2) }));
    const rest = (count - deadCount) / 2;
    await multiplyEvent(gateway, good.pk, rest, n => ({ source, receivedAt: at(n, rest) }));
  }
}

async function fillWithDeadEvents(gateway: GatewayUnderTest, count: number): Promise<readonly string[]> {
  await fix(gateway, false);
  const dead = genericEvent('test.schema_new');
  expect((await gateway.sendUntilAcknowledged('default', dead)).status).toBe(200);
  await gateway.waitFor(dead.pk, item => item.dlqSent === true);
  const now = Date.now();
  const copies = await multiplyEvent(gateway, dead.pk, count - 1, n => ({
    source: 'default',
    receivedAt: now - 60_000 - Math.floor((n / count) * 6 * HOUR_MS),
  }));
  return [...copies, dead.key];
}

async function untilAllCompleted(gateway: GatewayUnderTest, keys: readonly string[]): Promise<string> {
  const pks = keys.map(key => pkOf('default', key));
  const deadline = Date.now() + 300_000;
  let open: readonly EventItem[] = [];
  do {
    await wait(1_000);
    open = (await gateway.readAll(pks)).filter(item => item.status !== 'completed' || item.gen !== 2);
  } while (open.length > 0 && Date.now() < deadline);
  expect(
    open.map(it => [it.pk, it.status, it.gen]),
    'not completed',
  ).toEqual([]);
  const times = new Map<number, number>();
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    const some = keys.slice(from, from + AT_ONCE).map(key => gateway.timesApplied(`effect of evt_default.${key}`));
    for (const applied of await Promise.all(some)) times.set(applied, (times.get(applied) ?? 0) + 1);
  }
  expect([...times]).toEqual([[1, keys.length]]);
  return `effects: ${JSON.stringify(Object.fromEntries(times))}`;
}
