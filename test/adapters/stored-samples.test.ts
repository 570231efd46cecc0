/**
 * Claim: what an earlier version stored stays readable. Each file of test/fixtures/stored/ was read from the tables and
 * queues of that version (test/packages/upgrade.test.ts, HOLDFAST_WRITE_SAMPLES=<version>).
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { fromAttributes } from '#adapters/dynamodb/marshal.ts';
import { MemoryDatabase } from '#adapters/memory/memory-database.ts';
import { eventsTable, MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { CONTROL_PREFIX } from '#core/glossary.ts';
import type { EventStore } from '#core/inbound/ports.ts';
import { parseEventItem } from '#core/inbound/protocol/parse-event-item.ts';
import { SpreadStore } from '#core/inbound/protocol/spread-store.ts';
import { carriedBody, inflateBody } from '#core/inbound/protocol/store-body.ts';
import { decodeWorkMessage } from '#core/inbound/protocol/work-message.ts';
import { readOpenJobs, readReplayJob } from '#core/inbound/replay/replay-job.ts';
import { storedSamples } from '#test/kit/samples/stored-samples.ts';

function makeTable(): EventStore {
  const random = new SeededRandom(1);
  const database = new MemoryDatabase({ clock: new VirtualClock(), random, indexLagMs: () => 0 });
  database.define(eventsTable('events'));
  return new MemoryEventStore(database, 'events');
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
type Item = Readonly<Record<string, unknown>>;

describe.each(storedSamples())('stored by $version', ({ tables, messages }) => {
  const items = (tables['events'] ?? []).map(item => fromAttributes<Item>(item));
  const events = items.filter(item => item['status'] !== undefined);

  it('every event has the status it was stored with, and no field is missing', () => {
    const statuses = events.map(item => String(item['status']));
    expect([...new Set(statuses)].sort()).toEqual(['completed', 'dead_letter', 'deferred', 'failed', 'pending']);
    expect(events.map(item => parseEventItem(item).status)).toEqual(statuses);
  });

  it('every event is found by its hour and its watch, also where its source is spread over several keys now', async () => {
    const table = makeTable();
    for (const item of events) await table.insert(parseEventItem(item));
    const store = new SpreadStore(
      table,
      () => 10,
      () => 10,
    );
    for (const item of events.map(parseEventItem)) {
      const { pk, timelineHour, timelineAt: at, watchShard, watchAt } = item;
      const entries = await store.timeline(timelineHour, { from: at, to: at, newestFirst: false });
      expect(entries.items.map(it => it.pk)).toContain(pk);
      if (watchShard === undefined || watchAt === undefined) continue;
      const due = await store.watchDue(watchShard, { from: watchAt, before: watchAt + 1 });
      expect(due.items.map(it => it.pk)).toContain(pk);
    }
    expect(events.some(item => item['watchAt'] !== undefined)).toBe(true);
  });

  it('every body is the one whose hash the event names', () => {
    const bodies = (tables['payloads'] ?? []).map(item => fromAttributes<Item>(item));
    const stored = bodies.filter(item => String(item['sk']).startsWith('B#'));
    expect(stored.length).toBeGreaterThan(5);
    for (const { sk, bytes } of stored) expect(`B#${sha256(inflateBody(bytes as Uint8Array, nodeCodec))}`).toBe(sk);
  });

  it('every message is understood, with the body it carries', () => {
    expect(messages.length).toBeGreaterThan(2);
    let carried = 0;
    for (const text of messages) {
      const decoded = decodeWorkMessage(text);
      if (decoded.kind !== 'message') throw new Error(decoded.reason);
      const place = carriedBody(decoded.message, nodeCodec);
      if (place === undefined || !('bytes' in place)) continue;
      expect(sha256(inflateBody(place.bytes, nodeCodec))).toBe(decoded.message.bodySha);
      carried++;
    }
    expect(carried).toBeGreaterThan(0);
  });

  it('the replay job that runs is found and read', async () => {
    const control = {
      read: async (name: string) => {
        const found = items.find(item => item['pk'] === CONTROL_PREFIX + name);
        return found && { value: String(found['value']), version: Number(found['version']) };
      },
    };
    const open = await readOpenJobs(control);
    expect(open).toHaveLength(1);
    expect((await readReplayJob(open[0] ?? '', control))?.job).toMatchObject({ why: 'fixed' });
  });
});
