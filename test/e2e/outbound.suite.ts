/** What the journey of outbound-journey.ts must have shown. */
import { expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import type { ReceivedWebhook } from '#local/sample/receiver.ts';
import { standardWebhooks } from '#providers/standard-webhooks.ts';
import type { OutboundJourney } from './outbound-journey.ts';

export function outboundSuite(journeyOf: () => Promise<OutboundJourney>): void {
  it('delivers a message to a healthy endpoint, to one after two failures, and asks one that is gone no further', async () => {
    const { first, requests, goneState, repeated } = await journeyOf();
    expect(first.standing.healthy).toMatchObject({ status: 'delivered', attempt_count: 1 });
    expect(first.standing.failing).toMatchObject({ status: 'delivered', generation: 1 });
    expect(requests(first.id, 'failing').map(each => each.answer)).toEqual(['503', '503', '200']);
    const told = first.attempts.map(({ kind, class: of, code }) => [kind === 'trial' ? 'trial' : 'delivery', of, code]);
    expect(told.slice(0, 2).map(([, of, code]) => [of, code])).toEqual([
      ['busy', 503],
      ['busy', 503],
    ]);
    expect(told.at(-1)?.slice(1)).toEqual(['ok', 200]);
    expect(first.standing.gone).toMatchObject({ status: 'retrying', last_attempt: { status: 410, class: 'gone' } });
    // Its breaker is open: asked again by probes only, until a second 410 a minute later ends it.
    expect(['holding', 'failing', 'disabled']).toContain(goneState);
    // One attempt, then probes four seconds apart and more.
    expect(requests(first.id, 'gone').length).toBeGreaterThanOrEqual(1);
    expect(requests(first.id, 'gone').length).toBeLessThan(60);
    expect(repeated).toEqual({
      same: expect.objectContaining({ id: first.id, duplicate: true }),
      other: expect.stringContaining('was used for another message'),
    });
  });

  it('signs each attempt so that the receiving side of this gateway verifies it, under one webhook-id', async () => {
    const { first, requests } = await journeyOf();
    const all = [...requests(first.id, 'healthy'), ...requests(first.id, 'failing'), ...requests(first.id, 'gone')];
    expect(new Set(all.map(each => each.signature))).toEqual(new Set(['verified']));
    expect(new Set(all.map(each => each.id))).toEqual(new Set([first.id]));
    expect(new Set(all.map(each => Buffer.from(each.body).toString()))).toHaveLength(1);
    const times = requests(first.id, 'failing').map(each => Number(each.headers['webhook-timestamp']));
    expect(times).toEqual(times.toSorted());
    expect(new Set(times).size).toBeGreaterThan(1);
  });

  it('signs with the old and the new secret after a rotation', async () => {
    const { rotated, requests } = await journeyOf();
    const [request] = requests(rotated.id, 'healthy');
    expect(rotated.secrets[0]).not.toBe(rotated.secrets[1]);
    expect(await Promise.all(rotated.secrets.map(secret => verdictOf(request, secret)))).toEqual([
      'verified',
      'verified',
    ]);
  });

  it('sends nothing to a paused endpoint while the others go on, and what waited after the resume, once', async () => {
    const { paused, requests } = await journeyOf();
    expect(paused.requestsWhilePaused).toBe(0);
    expect(paused.whilePaused.other).toMatchObject({ status: 'delivered' });
    expect(paused.whilePaused.healthy).toMatchObject({ status: 'pending', held: true, attempt_count: 0 });
    expect(requests(paused.id, 'healthy')).toHaveLength(1);
  });

  it('replays once for one wish, with the webhook-id of before', async () => {
    const { replayed, requests } = await journeyOf();
    expect(replayed.generation).toBe(2);
    expect(requests(replayed.id, 'healthy').map(each => each.answer)).toEqual(['204', '204']);
  });

  it('brings messages back by export and import, item by item; what waited is sent once, after the resume', async () => {
    const { moved, requests } = await journeyOf();
    const { before, after, gone, first, again, waiting } = moved;
    expect(gone.filter(item => item !== undefined)).toEqual([]);
    const kept = (items: readonly unknown[]) => items.map(item => item && { ...item, expiresAt: 0 });
    expect(before.filter(item => item !== undefined).length).toBeGreaterThan(5);
    expect(kept(after)).toEqual(kept(before));
    expect(first).toMatchObject({ made: 2, left: [], deliveries: { made: 4, ended: 0, waiting: 1 } });
    expect(again).toMatchObject({ made: 0, left: [], deliveries: { made: 0, ended: 0, waiting: 0 } });
    expect(requests(waiting, 'healthy')).toHaveLength(1);
    expect(requests(waiting, 'other')).toHaveLength(1);
  });

  it('sends an event that was received on to each endpoint, once, with its exact body', async () => {
    const { forwarded } = await journeyOf();
    expect(forwarded.requests.map(each => each.path).sort()).toEqual(['/ok/other', '/verify/healthy']);
    expect(forwarded.requests.map(each => Buffer.from(each.body).toString())).toEqual([forwarded.body, forwarded.body]);
    expect(new Set(forwarded.requests.map(each => each.signature))).toEqual(new Set(['verified']));
    expect(new Set(forwarded.requests.map(each => each.id)).size).toBe(1);
  });
}

async function verdictOf(request: ReceivedWebhook | undefined, current: string): Promise<string> {
  if (request === undefined) return 'no request';
  const { headers, body } = request;
  const raw = { method: 'POST', rawQuery: '', headers, body, sourceIp: '127.0.0.1' };
  const context = { secret: { current }, nowMs: request.at, settings: {}, crypto: nodeCrypto };
  return (await verifyRequest(standardWebhooks, raw, context)).kind;
}
