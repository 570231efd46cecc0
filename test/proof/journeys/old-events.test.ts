/** Events, requests and copies from before the dedup window: what runs, what does not, and where that is seen. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { TOO_OLD } from '#core/inbound/protocol/retention.ts';
import { DAY_MS } from '#core/time.ts';
import { genericSha256Body } from '#providers/generic-sha256-body.ts';
import { vercel } from '#providers/vercel.ts';
import { EVENTS, MemoryWorld, SECRET } from '#test/kit/memory-world.ts';

const calm = { queue: { duplicateRate: 0 }, deadQueue: { duplicateRate: 0 } };

/** The sample request of the original document, word for word. */
const SEED_SAMPLE = `{
"event_id": "evt_1MqLSbKJFk9d2k",
"event_type": "payment_intent.succeeded",
"created_at": "2026-03-17T10:00:00Z",
"data": {
"object": {
"id": "pi_3MqLSbKJFk9d2k",
"amount": 5000,
"currency": "usd",
"status": "succeeded",
"customer": "cus_NffrFeUfNV2Hib"
}
}
}`;

const linesOfTooOld = ({ telemetry }: MemoryWorld) =>
  telemetry.lines.filter(({ line }) => line['stage'] === 'skipped' && line['cause'] === 'too_old');

async function run(world: MemoryWorld): Promise<MemoryWorld> {
  world.start();
  expect(await world.settle()).toBe(true);
  world.stop();
  return world;
}

// Holds I2.
describe('a request that is signed with the time of today', () => {
  it("runs the seed's own sample, whose created_at is months ago", async () => {
    const world = new MemoryWorld(calm);
    await world.clock.advanceTo(Date.parse('2026-11-22T12:00:00Z'));
    const answer = await world.post({ id: 'evt_1MqLSbKJFk9d2k', rawBody: SEED_SAMPLE });
    expect(answer).toMatchObject({ status: 200, body: '{"status":"accepted","event_id":"evt_1MqLSbKJFk9d2k"}' });
    await run(world);
    expect(world.item('evt_1MqLSbKJFk9d2k')).toMatchObject({ status: 'completed', attempts: 1 });
    expect(linesOfTooOld(world)).toHaveLength(0);
  });
});

// Holds I2, I4.
describe('a source that signs no time', () => {
  const vercelRequest = (createdAt: number) => {
    const rawBody = JSON.stringify({ id: 'evt_1', type: 'deployment.created', createdAt });
    const headers = { 'x-vercel-signature': createHmac('sha1', SECRET).update(rawBody).digest('hex') };
    return { id: 'evt_1', rawBody, headers };
  };

  it('records an event of before the window, does not run it, says so, and runs it when a person says so', async () => {
    const world = new MemoryWorld({ ...calm, source: { spec: vercel } });
    expect(await world.post(vercelRequest(world.clock.now() - 40 * DAY_MS))).toMatchObject({ status: 200 });
    await run(world);
    expect(world.item('evt_1')).toMatchObject({ status: 'skipped_stale', attempts: 0, actionTaken: TOO_OLD });
    expect(linesOfTooOld(world)).toHaveLength(1);
    await world.clock.complete(world.replay('evt_1', { replayId: 'r1', by: 'test', why: 'a backfill' }));
    await run(world);
    expect(world.item('evt_1')).toMatchObject({ status: 'completed', attempts: 1 });
  });

  it('runs what is about an old object: its date is not the date of the event', async () => {
    const world = new MemoryWorld({ ...calm, source: { spec: genericSha256Body } });
    const rawBody = JSON.stringify({ id: 'o_1', type: 'order.updated', created_at: '2020-01-01T00:00:00Z' });
    const headers = { 'x-webhook-signature': `sha256=${createHmac('sha256', SECRET).update(rawBody).digest('hex')}` };
    expect(await world.post({ id: 'o_1', rawBody, headers })).toMatchObject({ status: 200 });
    await run(world);
    expect(world.items()).toMatchObject([{ status: 'completed', attempts: 1 }]);
  });
});

// Holds I4, I5.
describe('a copy from before the window', () => {
  it('does not run again when its record has expired: it ends where it is seen, and a person may replay it', async () => {
    const world = new MemoryWorld(calm);
    let copy = '';
    world.main.onSent = body => {
      copy ||= body;
    };
    await world.post({ id: 'evt_1' });
    await run(world);
    expect(world.effects('evt_1')).toBe(1);
    await world.clock.advanceBy(40 * DAY_MS);
    world.database.write({ kind: 'delete', table: EVENTS, key: { pk: 'default#evt_1' } });
    world.main.send(copy, { groupId: 'default' });
    await run(world);
    expect(world.effects('evt_1')).toBe(1);
    expect(world.item('evt_1')).toMatchObject({ status: 'skipped_stale', attempts: 0, actionTaken: TOO_OLD });
    expect(linesOfTooOld(world)).toHaveLength(1);
    await world.clock.complete(world.replay('evt_1', { replayId: 'r1', by: 'test', why: 'it never ran' }));
    await run(world);
    expect(world.item('evt_1')?.status).toBe('completed');
  });
});
