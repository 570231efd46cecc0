/** What a batch of wake-ups asks of its queue: which messages come again, and after how many seconds. */
import { expect, it } from 'vitest';
import { MemoryTelemetry } from '#adapters/memory/memory-telemetry.ts';
import { DependencyError } from '#core/errors.ts';
import { given } from '#core/given.ts';
import { drainBatch } from '#core/outbound/drain/drain-batch.ts';
import type { SessionTools } from '#core/outbound/drain/session-state.ts';
import { wakeListed } from '#core/outbound/protocol/keys.ts';
import { OUTBOUND_TIMINGS } from '#core/outbound/protocol/timings.ts';

const wakeUp = (id: string, ep: string, mode?: 'end') => ({
  id,
  body: JSON.stringify({ v: 1, ep, ...given({ mode }) }),
  receipt: `receipt of ${id}`,
});
const invocation = { startedAt: 0, deadline: 90_000, held: { bytes: 0 } };

/** Tools whose store answers nothing; `ep_gone` alone is read, and is no endpoint any more. */
function tools(giveBackMs = OUTBOUND_TIMINGS.giveBackMs) {
  const hidden: (readonly [receipt: string, seconds: number])[] = [];
  const dead: string[] = [];
  const telemetry = new MemoryTelemetry();
  const get = async ({ pk }: { pk: string }) => {
    if (pk.includes('ep_gone')) return undefined;
    throw new DependencyError('dynamodb', 'no answer', { outcome: 'unknown' });
  };
  const ports = {
    ...{ store: { get }, telemetry, clock: { now: () => 0 } },
    receipts: { hide: async (receipt: string, seconds: number) => void hidden.push([receipt, seconds]) },
    dead: { send: async (body: string) => void dead.push(body) },
  };
  const rules = { lane: 'fast', timings: { ...OUTBOUND_TIMINGS, giveBackMs } };
  return { hidden, dead, telemetry, tools: { ports, rules } as unknown as SessionTools };
}

it('gives a wake-up back for seventy seconds, each copy of it, and keeps what is done', async () => {
  const { tools: given, hidden } = tools();
  const messages = [wakeUp('a', 'ep_1'), wakeUp('b', 'ep_gone'), wakeUp('c', 'ep_1')];
  expect((await drainBatch(given, messages, invocation)).toSorted()).toEqual(['a', 'c']);
  expect(hidden.toSorted()).toEqual([
    ['receipt of a', 70],
    ['receipt of c', 70],
  ]);
});

it('hides for whole seconds, never for less than it was told to', async () => {
  const { tools: given, hidden } = tools(5_001);
  await drainBatch(given, [wakeUp('a', 'ep_1')], invocation);
  expect(hidden).toEqual([['receipt of a', 6]]);
});

it('sends what is no wake-up to the dead-letter queue, whole', async () => {
  const { tools: given, hidden, dead, telemetry } = tools();
  const bad = { id: 'x', body: '{"v":1,"ep":5}', receipt: 'r' };
  expect(await drainBatch(given, [bad, wakeUp('b', 'ep_gone')], invocation)).toEqual([]);
  expect([dead, hidden]).toEqual([[bad.body], []]);
  expect(telemetry.lines.map(({ line }) => line['cause'])).toEqual(['unknown_message']);
});

it.each([
  ['secrets that cannot be opened are our own fault', new RangeError('cannot be opened'), [1, 0], ['cannot be opened']],
  [
    'a table that is away is not',
    new DependencyError('dynamodb', 'no answer', { outcome: 'unknown' }),
    [0, 1],
    ['dynamodb: no answer', undefined],
  ],
])('says why an endpoint has no configuration: %s', async (_what, thrown, counts, said) => {
  const { tools: given, telemetry } = tools();
  const runtime = { app: 'app_1', ep: 'ep_1', gate: 'open', crashes: 0, ...wakeListed('ep_1' as never, 0) };
  const store = {
    get: async () => runtime,
    query: async () => ({ items: [] }),
    update: async () => ({ kind: 'applied', item: runtime }),
  };
  const configOf = async () => {
    throw thrown;
  };
  const ports = { ...given.ports, store, ids: { uuid: () => 'me' } } as never;
  expect(await drainBatch({ ...given, ports, configOf }, [wakeUp('a', 'ep_1')], invocation)).toEqual(['a']);
  expect([telemetry.total('OwnFault'), telemetry.total('DependencyError')]).toEqual(counts);
  expect(telemetry.lines.map(({ line }) => line['error'])).toEqual(said);
});
