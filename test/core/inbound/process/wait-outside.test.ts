/** A message that a dependency refuses, over the queue in memory: where it waits, for how long, and how the copies end (I7, I12). */
import { beforeEach, expect, it } from 'vitest';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { DependencyError } from '#core/errors.ts';
import type { EventPk } from '#core/glossary.ts';
import type { ProcessPorts, ProcessRules } from '#core/inbound/process/process-ports.ts';
import { waitOutside } from '#core/inbound/process/wait-outside.ts';
import { DEFAULT_TIMINGS } from '#core/inbound/protocol/timings.ts';
import { encodeWorkMessage, type WorkMessage } from '#core/inbound/protocol/work-message.ts';
import type { WorkQueue } from '#core/ports.ts';
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import { MemoryQueue } from '#test/kit/memory/queue/memory-queue.ts';
import { MemoryDeadQueue, MemoryReceiptBox, MemoryWorkQueue } from '#test/kit/memory/queue/memory-queue-ports.ts';

const MESSAGE: WorkMessage = {
  v: 1,
  pk: 'stripe#evt_1' as EventPk,
  gen: 1,
  bodySha: 'ab'.repeat(32),
  provider: 'stripe',
  eventType: 'charge.succeeded',
  ingestId: 'i',
  size: 10,
  receivedAt: 0,
  payload: 'Ym9keQ==',
  headers: { 'content-type': 'application/json' },
  unrecorded: true,
};

let clock: VirtualClock;
let main: MemoryQueue;
let dead: MemoryQueue;
let queueFails: boolean;

beforeEach(() => {
  clock = new VirtualClock();
  const random = new SeededRandom(1);
  main = new MemoryQueue({ clock, random, duplicateRate: 0 });
  dead = new MemoryQueue({ clock, random, duplicateRate: 0 });
  queueFails = false;
});

function ports(): ProcessPorts {
  const working = new MemoryWorkQueue(main);
  const away: WorkQueue = { send: async () => Promise.reject(new DependencyError('sqs', 'away')) };
  return {
    queue: queueFails ? away : working,
    dead: new MemoryDeadQueue(dead),
    receipts: new MemoryReceiptBox(main),
    telemetry: new MemoryTelemetry(),
    random: { next: () => 0 },
    clock,
    timer: { limit: async (_ms: number, work: () => Promise<unknown>) => ({ kind: 'finished', value: await work() }) },
  } as unknown as ProcessPorts;
}

/** Receives what is there, lets it wait, and deletes it where that is the answer. */
async function refuse(leastMs = 0): Promise<{ disposal: string; message: WorkMessage }> {
  const [received] = main.receive(1);
  if (!received) throw new Error('the queue is empty');
  const message = JSON.parse(received.body) as WorkMessage;
  const wait = { leastMs, deadlineMs: clock.now() + MINUTE_MS };
  const rules = { timings: DEFAULT_TIMINGS } as ProcessRules;
  const disposal = await waitOutside(message, received, wait, ports(), rules);
  if (disposal.kind === 'ack') main.delete(received.receipt);
  return { disposal: disposal.kind, message };
}

it('sends it again whole, with a delay, and gives its place in flight back', async () => {
  main.send(encodeWorkMessage(MESSAGE), { groupId: 'stripe' });
  const sentAt = clock.now();
  expect((await refuse()).disposal).toBe('ack');
  expect(main.numbers()).toEqual({ visible: 0, hidden: 0, delayed: 1 });
  const [copy] = main.dump();
  expect(copy?.groupId).toBe('stripe');
  expect(JSON.parse(copy?.body ?? '')).toEqual({ ...MESSAGE, waitingSince: sentAt, waits: 1 });
});

it('keeps a replay in the group of replays, and waits at least until the lease is over', async () => {
  main.send(encodeWorkMessage({ ...MESSAGE, gen: 2 }), { groupId: 'replay#stripe' });
  await refuse(35_000);
  expect(main.dump()[0]?.groupId).toBe('replay#stripe');
  await clock.advanceBy(34_000);
  expect(main.numbers().visible).toBe(0);
  await clock.advanceBy(1_000);
  expect(main.numbers().visible).toBe(1);
});

it('waits longer each time, 15 minutes at most, and is one message all the while', async () => {
  main.send(encodeWorkMessage(MESSAGE), { groupId: 'stripe' });
  const waits: number[] = [];
  for (let n = 0; n < 7; n++) {
    const from = clock.now();
    await refuse();
    expect(main.dump()).toHaveLength(1);
    while (main.numbers().visible === 0) await clock.advanceBy(1_000);
    waits.push((clock.now() - from) / 1_000);
  }
  expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900]);
});

it('I12: what came back (its process died before the delete) is hidden, so nothing multiplies', async () => {
  main.send(encodeWorkMessage(MESSAGE), { groupId: 'stripe' });
  main.receive(1, 0);
  expect((await refuse()).disposal).toBe('return');
  expect(main.numbers()).toEqual({ visible: 0, hidden: 1, delayed: 0 });
});

it('I7: a queue that does not take the copy keeps the message, hidden', async () => {
  main.send(encodeWorkMessage(MESSAGE), { groupId: 'stripe' });
  queueFails = true;
  expect((await refuse()).disposal).toBe('return');
  expect(main.numbers()).toEqual({ visible: 0, hidden: 1, delayed: 0 });
});

it('after three days what never became a record goes to the DLQ as it was', async () => {
  main.send(encodeWorkMessage(MESSAGE), { groupId: 'stripe' });
  const until = clock.now() + 4 * DAY_MS;
  while (dead.dump().length === 0 && clock.now() < until) {
    await refuse();
    while (main.numbers().visible === 0 && main.dump().length > 0) await clock.advanceBy(MINUTE_MS);
  }
  expect(dead.dump().map(it => JSON.parse(it.body))).toEqual([MESSAGE]);
  expect(main.dump()).toEqual([]);
  expect(clock.now()).toBeLessThan(until);
});

it('after three days the message of a record is no longer sent again: the sweeper has the record', async () => {
  const { unrecorded: _, ...recorded } = MESSAGE;
  main.send(encodeWorkMessage({ ...recorded, waitingSince: clock.now() - 4 * DAY_MS, waits: 300 }), {
    groupId: 'stripe',
  });
  expect((await refuse()).disposal).toBe('return');
  expect(dead.dump()).toEqual([]);
});
