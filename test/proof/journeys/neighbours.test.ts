/** Faults seen in well-known neighbours, one test each, as far as the place for them exists here. */
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { toSourceId } from '#core/glossary.ts';
import { dimensionsOf, type MetricName } from '#core/metrics.ts';
import { MINUTE_MS } from '#core/time.ts';
import { EFFECTS, MemoryWorld, SECRET } from '#test/kit/memory-world.ts';
import { runJourney } from './support/crash-run.ts';
import { faultWhile } from './support/fault-at.ts';
import { handlerThat } from './support/handlers.ts';
import { JOURNEYS } from './support/journeys.ts';
import { workOff } from './support/traces.ts';

const ROOT = join(import.meta.dirname, '../../..');
const NOW_SECONDS = 1_767_571_200;

function sourcesBelow(...folders: readonly string[]): readonly { path: string; text: string }[] {
  return folders.flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .map(name => ({ path: `${folder}/${name}`, text: readFileSync(join(ROOT, folder, name), 'utf8') })),
  );
}

it('neighbour: the composed handler is the exported one, not a bare function beside it', () => {
  const handlers = sourcesBelow('lambdas').filter(it => it.path.endsWith('/handler.ts'));
  expect(handlers.length).toBeGreaterThanOrEqual(5);
  for (const { path, text } of handlers) {
    expect([path, text.match(/^export /gm)]).toEqual([path, ['export ']]);
    expect([path, isComposed(text)]).toEqual([path, true]);
  }
  const serve = readFileSync(join(ROOT, 'lambdas/shared/serve.ts'), 'utf8');
  expect(serve).toMatch(/= middy\(work, [\s\S]*return oneInvocation\(handler\b/);
});

/** By `serve`, which composes it, or itself. */
const isComposed = (text: string): boolean =>
  /^export const handler = serve\(/m.test(text) || /^export const handler = oneInvocation\(\n? *middy\(/m.test(text);

it('neighbour: a load that failed is tried again on the next call, never kept', async () => {
  const world = new MemoryWorld();
  world.secretValues.unreachable = true;
  expect(await world.post({ id: 'evt_1' })).toMatchObject({ status: 503 });
  world.secretValues.unreachable = false;
  expect(await world.post({ id: 'evt_1' })).toMatchObject({ status: 200 });
});

it.each(['1234567890', 'true', 'null', '"quoted"', '[1]', '1e3', '0x10'])(
  'neighbour: a secret that looks like JSON (%s) is the text it is',
  async secret => {
    const world = new MemoryWorld();
    world.secretValues.set(toSourceId('default'), secret);
    const rawBody = '{"event_id":"evt_1"}';
    const mac = createHmac('sha256', secret).update(`${NOW_SECONDS}.${rawBody}`).digest('hex');
    const headers = { 'x-webhook-signature': `sha256=${mac}` };
    expect(await world.post({ id: 'evt_1', rawBody, headers })).toMatchObject({ status: 200 });
  },
);

describe('neighbour: bodies, secrets and signatures in the log', () => {
  const BODY = 'CANARY-BODY-7f3a';
  const HEADER = 'CANARY-HEADER-91cc';
  const ERROR_DATA = 'CANARY-ITEM-55d0';

  it('none of them is in any line, whatever goes wrong', async () => {
    let failing = true;
    const handlers = handlerThat(({ nth }, _event, context) => {
      context.transact([{ kind: 'put', table: EFFECTS, item: { id: ERROR_DATA } }]);
      return nth === 1 ? Promise.reject(new Error('down')) : undefined;
    });
    const plan = faultWhile(/^(?:store\.insert|queue\.send|store\.transact)$/, 'error', () => failing);
    const world = new MemoryWorld({ handlers, plan, source: { maxBodyBytes: 5_000 } });
    const macs: string[] = [];
    const cases: Readonly<Record<string, string | undefined>>[] = [
      {},
      { 'x-webhook-signature': `sha256=${'0'.repeat(64)}` },
      { 'x-webhook-signature': undefined },
      { 'x-webhook-timestamp': 'x' },
      { 'content-type': 'text/plain' },
    ];
    for (const [n, headers] of cases.entries()) {
      const rawBody = JSON.stringify({ event_id: `evt_${n}`, event_type: 'test', note: BODY });
      macs.push(
        createHmac('sha256', SECRET)
          .update(`${Math.floor(world.clock.now() / 1_000)}.${rawBody}`)
          .digest('hex'),
      );
      await world.post({ id: `evt_${n}`, rawBody, headers: { authorization: HEADER, cookie: HEADER, ...headers } });
      failing = n < 2;
    }
    await world.post({ id: 'big', rawBody: BODY.repeat(1_000) });
    world.main.send(`{"v":9,"note":"${BODY}"}`);
    expect(await workOff(world)).toBe(true);
    const log = JSON.stringify(world.telemetry.lines);
    expect(world.telemetry.lines.length).toBeGreaterThan(10);
    for (const canary of [BODY, HEADER, ERROR_DATA, SECRET, ...macs]) {
      expect(log.includes(canary)).toBe(false);
      expect(log.includes(Buffer.from(canary).toString('base64').slice(0, 12))).toBe(false);
    }
    expect(JSON.stringify(world.database.dump('payloads'))).not.toContain(HEADER);
  });
});

it('neighbour: what is emitted is declared: every metric with all the dimensions it is watched under', async () => {
  const emitted = new Map<MetricName, Set<string>>();
  const note = (metric: MetricName, dimensions: Readonly<Record<string, string>> = {}): void => {
    emitted.set(metric, (emitted.get(metric) ?? new Set()).add(Object.keys(dimensions).sort().join(' ')));
  };
  const count = vi.spyOn(MemoryTelemetry.prototype, 'count').mockImplementation(note);
  const measure = vi
    .spyOn(MemoryTelemetry.prototype, 'measure')
    .mockImplementation((metric, _value, dimensions) => note(metric, dimensions));
  for (const journey of JOURNEYS) await runJourney(journey);
  count.mockRestore();
  measure.mockRestore();
  expect(emitted.size).toBeGreaterThan(15);
  for (const [metric, found] of emitted) {
    const declared = [...new Set<string>(dimensionsOf(metric).flat())].filter(it => it !== 'environment');
    const missing = [...found].flatMap(names => declared.filter(it => !names.split(' ').includes(it)));
    expect([metric, missing]).toEqual([metric, []]);
  }
});

it('neighbour: no module remembers anything of a request; what is kept is parsed configuration', () => {
  const parsed = [
    // The largest difference of clocks that was seen, until it is told.
    'adapters/aws/clock-difference.ts: largestMs',
    // Keys that sign calls to AWS: of the role, and of the day.
    'adapters/aws/kept-signer.ts: bytes',
    'adapters/aws/kept-signer.ts: text',
    'adapters/crypto/remembered-keys.ts: keys',
    // Of sockets, for as long as they are there.
    'adapters/http/guarded-agent.ts: progresses',
    // Source maps of the code that runs.
    'adapters/stacks/map-stack.ts: maps',
    'adapters/system.ts: lists',
    // Attempts that write a row, known by their own object: nobody else has it, and it goes with the attempt.
    'core/handler/ordering/entity.ts: WRITING',
    // Declared event types, for seconds: configuration of the producer.
    'core/outbound/catalogue/judge-publication.ts: kept',
    // A table of constants.
    'core/scan/bytes.ts: crcTable',
    'core/scan/json-scan.ts: steps',
    'core/verification/message.ts: templates',
  ];
  const remembers =
    /^(?:export )?(?:(?:let|var) (\w+)|const (\w+)(?:: (?!Readonly)[^=]+)? = (?:new (?:Map|Set|WeakMap|WeakSet)\b|\[\];))/gm;
  const found = sourcesBelow('core', 'lambdas', 'adapters')
    .filter(({ path }) => !path.startsWith('adapters/memory/'))
    .flatMap(({ path, text }) => [...text.matchAll(remembers)].map(it => `${path}: ${it[1] ?? it[2]}`))
    // A set or map that is filled where it stands is a table, not a memory.
    .filter(place => !isTable(place));
  expect(found.sort()).toEqual(parsed);
});

function isTable(place: string): boolean {
  const [path = '', name = ''] = place.split(': ');
  const text = readFileSync(join(ROOT, path), 'utf8');
  return new RegExp(`const ${name}\\b[^\\n]* = new (?:Map|Set)(?:<[^(]*>)?\\([^)]`).test(text);
}

// Holds I7.
it('neighbour: of a batch, what failed comes back and what succeeded does not', async () => {
  const handlers = handlerThat(({ id, world }) =>
    id === 'evt_1' ? world.clock.sleep(20_000).then(() => undefined as never) : undefined,
  );
  const world = new MemoryWorld({ handlers, queue: { visibilitySeconds: 5, duplicateRate: 0 } });
  await world.post({ id: 'evt_1' });
  world.mapping.enable();
  await world.clock.advanceBy(5_500);
  await world.post({ id: 'evt_2' });
  await world.clock.advanceBy(5_000);
  // The copy of evt_1 was received again with evt_2, found its event in progress, and was given back.
  expect(world.main.dump()).toMatchObject([{ receiveCount: 2 }]);
  expect(world.item('evt_2')?.status).toBe('completed');
  await world.clock.advanceBy(3 * MINUTE_MS);
  expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 1 });
  expect(world.main.dump()).toEqual([]);
});
