/** What the writes of sending store, remove and count, beside their conditions; and the small readings they rest on. */
import { describe, expect, it } from 'vitest';
import { holds } from '#core/condition.ts';
import { giveBackTend, takeTend } from '#core/outbound/protocol/control-writes.ts';
import { isShut } from '#core/outbound/protocol/decide.ts';
import { importDelivery, recordEnd, releaseLease, takeLease } from '#core/outbound/protocol/delivery-writes.ts';
import { addToHours, readHours } from '#core/outbound/protocol/hours.ts';
import { freshId } from '#core/outbound/protocol/ids.ts';
import type { RecordItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import { partOf } from '#core/outbound/protocol/keys.ts';
import { plainSecret } from '#core/outbound/protocol/secret-text.ts';
import { deliveryExpiry, GRACE_MS, keptOf, OUTBOUND_TIMINGS } from '#core/outbound/protocol/timings.ts';
import { DAY_MS, HOUR_MS } from '#core/time.ts';

const NOW = 1_700_000_000_000;
const runtime = (given: Partial<RuntimeItem>): RuntimeItem =>
  ({ ep: 'ep_1', app: 'app_1', gate: 'open', crashes: 0, ...given }) as RuntimeItem;
const take = { me: 'me', now: NOW, leaseUntil: NOW + 60_000, toEnd: false };

describe('the lease', () => {
  it('counts a crash where another owner left it, and none where it was given back', () => {
    expect(takeLease(runtime({ crashes: 2 }), take)).toMatchObject({ kind: 'update', set: { crashes: 0 } });
    expect(takeLease(runtime({ crashes: 2, owner: 'gone', leaseUntil: NOW - 1 }), take).set).toMatchObject({
      crashes: 3,
    });
  });

  it('is taken where a hold ends within the slack of clocks, and no earlier', () => {
    const { condition } = takeLease(runtime({}), take);
    if (condition === undefined) throw new Error('W3 has no condition');
    const held = (holdUntil: number) => holds(condition, { ...runtime({ holdUntil }) });
    expect(held(NOW + OUTBOUND_TIMINGS.slackMs)).toBe(true);
    expect(held(NOW + OUTBOUND_TIMINGS.slackMs + 1)).toBe(false);
  });

  it('given back, stores what the session learnt, and removes what is over', () => {
    const given = releaseLease('ep_1', 'me', { state: { streak: 3 }, died: 0, wakeAt: undefined, now: NOW });
    expect(given).toMatchObject({ kind: 'update', set: { streak: 3 } });
    expect(given.add).toBeUndefined();
    expect(given.remove).toEqual(expect.arrayContaining(['owner', 'leaseUntil', 'hours', 'gpk', 'gsk']));
    expect(given.remove).not.toContain('streak');

    const waits = releaseLease('ep_1', 'me', { state: {}, died: 2, wakeAt: NOW + 5, now: NOW });
    expect(waits).toMatchObject({ set: { gpk: expect.any(String) }, add: { dead: 2 } });
    expect(waits.remove).not.toContain('gsk');
  });

  it('of tend goes up by one, and leaves no owner behind', () => {
    expect(takeTend(4, { me: 'me', now: NOW, until: NOW + 1, value: '{}' })).toMatchObject({
      kind: 'update',
      set: { version: 5, owner: 'me' },
    });
    expect(giveBackTend('me', '{}')).toMatchObject({ kind: 'update', remove: ['until', 'owner'] });
  });
});

describe('a record', () => {
  const delivery = { ep: 'ep_1', msg: 'msg_1', createdAt: 1, app: 'app_1', gen: 1 } as const;
  const outcome = { now: NOW, retentionMs: DAY_MS, last: { at: 1, ms: 1, class: 'ok' } } as const;

  it('that ends waits for no next attempt, and keeps what was seen', () => {
    const ended = recordEnd(delivery, 'delivered', { ...outcome, firstAt: 7, snippet: 'ok' });
    expect(ended).toMatchObject({ kind: 'update', set: { status: 'delivered', firstAt: 7, snippet: 'ok' } });
    expect(ended.remove).toEqual(['nextAt']);
  });

  it('that is imported waits as it did: a retry until its time, a replay not at all', () => {
    const rules = { now: NOW, retentionMs: DAY_MS };
    const imported = (record: Partial<RecordItem>) =>
      importDelivery({ ...delivery, row: 'later', record: { gen: 2, ...record } as RecordItem }, undefined, rules);
    expect(imported({ status: 'retrying', attempts: 3, nextAt: NOW + 9 })).toMatchObject([
      { kind: 'put', item: { gen: 2 } },
      { kind: 'check' },
      { kind: 'put', key: { sk: expect.stringContaining(`${NOW + 9}`) }, item: { gen: 2, n: 4 } },
    ]);
    expect(imported({ status: 'pending' })[2]).toMatchObject({
      key: { sk: expect.stringMatching(new RegExp(`^B#${NOW}#p`)) },
      item: { gen: 2, n: 1 },
    });
    expect(importDelivery(delivery, undefined, rules)).toMatchObject([{ kind: 'check' }]);
  });
});

describe('the hours of an endpoint', () => {
  it('are packed without the empty ones at the end', () => {
    const at = (hours: number) => NOW + hours * HOUR_MS;
    const first = addToHours(undefined, NOW, { ok: 40, fail: 0 });
    expect(first).toBe(`${Math.floor(NOW / HOUR_MS).toString(36)}:14.0`);
    const later = addToHours(first, at(3), { ok: 1, fail: 2 });
    expect(later).toBe(`${Math.floor(at(3) / HOUR_MS).toString(36)}:1.2,,,14.0`);
    expect(readHours(later, at(3)).slice(0, 4)).toEqual([
      { ok: 1, fail: 2 },
      { ok: 0, fail: 0 },
      { ok: 0, fail: 0 },
      { ok: 40, fail: 0 },
    ]);
    expect(addToHours(first, at(30), { ok: 0, fail: 1 })).toMatch(/:0\.1$/);
    expect(readHours(undefined, NOW)).toEqual(Array.from({ length: 24 }, () => ({ ok: 0, fail: 0 })));
  });
});

describe('small readings', () => {
  it.each([
    [{ gate: 'open' }, false],
    [{ gate: 'open', pulled: true }, true],
    [{ gate: 'paused' }, true],
    [{ gate: 'disabled' }, true],
    [{ gate: 'deleted' }, false],
    [{ gate: 'deleted', pulled: true }, false],
  ] as const)('%j is shut: %s', (given, shut) => {
    expect(isShut(given)).toBe(shut);
  });

  it('a part has its share of the ids, and an id always the same part', () => {
    const counts = [0, 0, 0, 0];
    for (let n = 0; n < 1_000; n++) {
      const part = partOf(`app_${n}`, 4);
      counts[part] = (counts[part] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(150);
    expect(Math.max(...counts)).toBeLessThan(350);
  });

  it('an id begins with its time, and holds each random digit of the uuid, the fixed ones not', () => {
    const uuid = '01234567-89ab-4def-8123-456789abcdef';
    const id = freshId('ep', NOW, uuid);
    expect(id).toMatch(/^ep_[0-9a-z]{26}$/i);
    expect(freshId('ep', NOW + 1, uuid).slice(0, 12)).toBe(id.slice(0, 12));
    expect(freshId('ep', NOW + 1, uuid).slice(12)).not.toBe(id.slice(12));
    expect(freshId('ep', NOW, '01234567-89ab-7def-9123-456789abcdef')).toBe(id);
    for (const at of [0, 7, 9, 12, 15, 17, 20, 22]) {
      if (uuid[at] === '-') continue;
      const other = `${uuid.slice(0, at)}${uuid[at] === 'f' ? '0' : 'f'}${uuid.slice(at + 1)}`;
      expect(freshId('ep', NOW, other), `digit ${at}`).not.toBe(id);
    }
  });

  it("an application's own retention counts where it is shorter", () => {
    const kept = (retentionDays?: number) =>
      keptOf({ limits: retentionDays === undefined ? {} : { retentionDays } } as never, 30 * DAY_MS);
    expect(kept(7)).toEqual({ keepMs: 7 * DAY_MS });
    expect(kept(30)).toEqual({});
    expect(kept()).toEqual({});
  });

  it('a delivery goes a grace after its retention, and never at once', () => {
    expect(deliveryExpiry(NOW, NOW, DAY_MS)).toBe(Math.floor((NOW + DAY_MS + GRACE_MS) / 1000));
    expect(deliveryExpiry(0, NOW, DAY_MS)).toBe(Math.floor((NOW + GRACE_MS) / 1000));
  });

  it('a secret of another system is its text, but not where it says that it is one of ours', () => {
    expect(plainSecret('a-secret-of-another-system-32chars')).toMatchObject({ alg: 'sha256', plain: true });
    expect(plainSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toBeUndefined();
    expect(plainSecret('line\nbreak-and-more-of-it-so-it-is-long')).toBeUndefined();
  });
});
