/**
 * Claim: what an earlier version stored stays readable. Each file of test/fixtures/stored/ was read from the tables and
 * queues of that version (test/packages/upgrade.test.ts, HOLDFAST_WRITE_SAMPLES=<version>).
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { fromAttributes } from '#adapters/dynamodb/attribute-values.ts';
import { CONTROL_PREFIX } from '#core/glossary.ts';
import { parseEventItem } from '#core/inbound/protocol/parse-event-item.ts';
import { carriedBody, inflateBody } from '#core/inbound/protocol/store-body.ts';
import { decodeWorkMessage } from '#core/inbound/protocol/work-message.ts';
import { readOpenJobs, readReplayJob } from '#core/inbound/replay/replay-job.ts';
import { storedSamples } from '#test/kit/stored-samples.ts';

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
