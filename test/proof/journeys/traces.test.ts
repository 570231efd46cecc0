/**
 * W3C `traceparent` through the real functions:
 * 1. what a sender brought reaches URL and queue as it came, through a retry, a lost queue and a replay;
 * 2. where spans are recorded, each attempt is a span of the same trace, and what must not change does not;
 * 3. nobody gets a trace that nobody began.
 */
import { describe, expect, it } from 'vitest';
import type { RouteTarget } from '#core/inbound/routing/target.ts';
import { MemoryWorld, type WorldOptions } from '#test/kit/memory-world.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const GIVEN = `00-${TRACE}-b7ad6b7169203331-01`;
const QUEUE: RouteTarget = { kind: 'queue', address: 'arn:aws:sqs:eu-central-1:123456789012:invoices' };
const SERVICE: RouteTarget = { kind: 'http', address: 'https://billing.example.com/hooks' };

async function run(headers: Record<string, string>, options: WorldOptions = {}): Promise<MemoryWorld> {
  const world = new MemoryWorld({
    source: { routes: [{ type: '*', targets: [QUEUE, SERVICE] }] },
    retry: { attempts: 6, baseSeconds: 1, capSeconds: 4 },
    targets: {
      answer: (address, call) =>
        address === SERVICE.address && call === 1 ? { kind: 'failed', reason: 'it answered 503' } : undefined,
    },
    ...options,
  });
  world.start();
  await world.post({ id: 'evt_1', headers });
  expect(await world.settle()).toBe(true);
  await world.clock.complete(world.replay('evt_1', { replayId: 'r1', by: 'test', why: 'test' }));
  expect(await world.settle()).toBe(true);
  return world;
}

/** What each delivery carried: the header of the URL, the attribute of the queue's envelope. */
const carried = (world: MemoryWorld, { address }: RouteTarget): unknown[] =>
  world.targets.taken
    .filter(it => it.address === address)
    .map(it => (it.headers ? it.headers['traceparent'] : JSON.parse(it.text).traceparent));
const spansOf = (world: MemoryWorld) =>
  world.telemetry.lines.map(({ line }) => line).filter(line => line['stage'] === 'attempt');

describe('a traceparent', () => {
  it('that a sender brought is passed on as it came, in every attempt and replay', async () => {
    const world = await run({ traceparent: GIVEN });
    expect(carried(world, SERVICE)).toEqual([GIVEN, GIVEN]);
    expect(carried(world, QUEUE)).toEqual([GIVEN, GIVEN]);
    expect(JSON.stringify(spansOf(world))).not.toContain('span_id');
  });

  it('that is none, or that nobody brought, is not made up', async () => {
    for (const headers of [{}, { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` }]) {
      const world = await run(headers);
      expect([carried(world, SERVICE), carried(world, QUEUE)]).toEqual([
        [undefined, undefined],
        [undefined, undefined],
      ]);
    }
  });

  it('is a new span in every attempt where spans are recorded, and one for the event', async () => {
    const world = await run({ traceparent: GIVEN }, { recordsSpans: true });
    const spans = spansOf(world);
    expect(spans).toHaveLength(3);
    for (const span of spans) expect(span).toMatchObject({ trace_id: TRACE, parent_span_id: 'b7ad6b7169203331' });
    const ids = spans.map(span => span['span_id']);
    expect(new Set(ids).size).toBe(3);
    // The first attempt failed; the second one's request was taken, and that of the replay.
    expect(carried(world, SERVICE)).toEqual(ids.slice(1).map(id => `00-${TRACE}-${id}-01`));
    const [event] = new Set(spans.map(span => span['event_span_id']));
    expect(carried(world, QUEUE)).toEqual([`00-${TRACE}-${event}-01`, `00-${TRACE}-${event}-01`]);
  });

  it('begins with the event where nobody brought one and spans are recorded; one that is not sampled stays so', async () => {
    const begun = await run({}, { recordsSpans: true });
    const [own] = new Set(spansOf(begun).map(span => span['trace_id']));
    expect(own).toMatch(/^[0-9a-f]{32}$/);
    expect(carried(begun, SERVICE).every(it => String(it).startsWith(`00-${own}-`))).toBe(true);
    const unsampled = GIVEN.replace(/01$/, '00');
    const world = await run({ traceparent: unsampled }, { recordsSpans: true });
    expect(carried(world, SERVICE)).toEqual([unsampled, unsampled]);
    expect(JSON.stringify(spansOf(world))).not.toContain('span_id');
  });
});
