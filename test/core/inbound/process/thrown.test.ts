/** What becomes of an error that a handler throws: its place in the record, its way in the log. */
import { expect, it } from 'vitest';
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryPayloadStore } from '#adapters/memory/memory-payload-store.ts';
import { defineHandlers, PermanentError } from '#core/handler/handler-contract.ts';
import { reportHistory } from '#core/inbound/search/event-report.ts';
import { describeDeaths } from '#core/inbound/watch/describe-deaths.ts';
import { EVENTS, MemoryWorld, PAYLOADS } from '#test/kit/memory-world.ts';

const FRAMES = [
  'handlers/money/total.ts:5:23',
  'handlers/pay.ts:14:9',
  'holdfast:core/inbound/process/run-handler.ts:109:7',
];

async function died(error: Error, attempts = 1): Promise<MemoryWorld> {
  const world = new MemoryWorld({
    retry: { attempts, baseSeconds: 1, capSeconds: 1 },
    queue: { duplicateRate: 0 },
    handlers: () => defineHandlers([{ source: '*', type: '*', handle: () => Promise.reject(error) }]),
    stacks: { read: async () => ({ own: 'handlers/money/total.ts:5', frames: FRAMES }) },
  });
  world.start();
  await world.post({ id: 'evt_1' });
  expect(await world.settle()).toBe(true);
  world.stop();
  return world;
}

it.each([
  [
    new TypeError(`no lines${' in this order'.repeat(30)}`),
    /^handler_error: TypeError at handlers\/money\/total\.ts:5: no lines in/,
  ],
  [new PermanentError('no use'), /^permanent: PermanentError at handlers\/money\/total\.ts:5: no use/],
])('%s is told with its place in the record and in the page, also where the message is cut', async (error, words) => {
  const world = await died(error);
  expect(world.item('evt_1')?.status).toBe('dead_letter');
  expect(world.item('evt_1')?.lastError).toMatch(words);
  const view = { environment: 'prod', sourceIds: world.sources.map(it => it.id), since: 0 };
  const page = await world.clock.complete(describeDeaths(view, new MemoryEventStore(world.database, EVENTS)));
  expect(page).toContain('Error at handlers/money/total.ts:5: no ');
});

it('is in the log with every place on its way', async () => {
  const world = await died(new TypeError('no lines'));
  const line = world.telemetry.lines.find(it => it.line['stage'] === 'attempt')?.line;
  expect(line).toMatchObject({ outcome: 'failed', cause: 'handler_error', stack: FRAMES });
});

it('says of a record with many attempts which are not in it, and where they are', async () => {
  const world = await died(new Error('down'), 9);
  const item = world.item('evt_1');
  const payloads = new MemoryPayloadStore(world.database, PAYLOADS);
  const report = await world.clock.complete(reportHistory(item!, payloads));
  expect(report).toMatchObject({ attempts: 9, attempts_left_out: 6 });
  const steps = report.timeline.map(it => it.step);
  expect(steps.filter(step => step.startsWith('attempt'))).toEqual([
    'attempts 1 to 6',
    'attempt 7',
    'attempt 8',
    'attempt 9',
  ]);
  expect(report.timeline.find(it => it.step === 'attempts 1 to 6')?.note).toContain(
    'holdfast logs --event evt_default.evt_1',
  );
  const whole = await died(new Error('down'), 3);
  const kept = await whole.clock.complete(
    reportHistory(whole.item('evt_1')!, new MemoryPayloadStore(whole.database, PAYLOADS)),
  );
  expect(kept['attempts_left_out']).toBeUndefined();
  expect(kept.timeline.filter(it => it.step.startsWith('attempt'))).toHaveLength(3);
});
