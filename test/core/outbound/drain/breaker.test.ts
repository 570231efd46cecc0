import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { given } from '#core/given.ts';
import {
  afterAnswer,
  type Breaker,
  breakerSlots,
  DEFAULT_HOLD,
  disableReason,
  isOnTrial,
  rate,
  triedRow,
} from '#core/outbound/drain/breaker.ts';
import { BREAKERS, DISABLES } from '#core/outbound/drain/schedule.ts';
import type { Verdict } from '#core/outbound/ports.ts';
import { DAY_MS, HOUR_MS } from '#core/time.ts';

const CLOSED: Breaker = { opens: 0, probes: 0 };
const ok: Verdict = { class: 'ok', fault: 'none' };
const down: Verdict = { class: 'busy', fault: 'endpoint' };
const unclear: Verdict = { class: 'server_error', fault: 'ambiguous' };
const refused: Verdict = { class: 'message_refused', fault: 'message' };
const throttled = (retryAfterMs?: number): Verdict => ({
  class: 'throttled',
  fault: 'throttle',
  ...given({ retryAfterMs }),
});
const at = (now: number, cap = 5, draw = 0.5, about = 'msg_a') => ({
  ...{ now, cap, about, hold: DEFAULT_HOLD },
  random: { next: () => draw },
});
const feed = (verdicts: readonly Verdict[], cap = 5): Breaker =>
  verdicts.reduce((breaker, verdict, n) => afterAnswer(breaker, verdict, at(n, cap)), CLOSED);
/** As the next session finds it, after the hold. */
const later = ({ holdUntil: _, holdWhy: __, holdSince: ___, ...rest }: Breaker): Breaker => rest;

describe('opens', () => {
  test('at five endpoint-level failures in a row, however few may be in the air', () => {
    expect(feed([down, down, down, down]).opens).toBe(0);
    expect(feed([down, down, down, down, down])).toMatchObject({ opens: 1, holdWhy: 'breaker' });
    expect(feed([down, down, down, down], 1).opens).toBe(0);
    expect(feed([down, down, down, down, down], 1).opens).toBe(1);
    expect(feed([ok, down, down, ok, down, down, down, down]).opens).toBe(0);
  });
  test('at half of the last twenty', () => {
    const mixed = (failures: number): Verdict[] =>
      Array.from({ length: 20 }, (_, n) => (n % 2 === 0 && n < 2 * failures ? down : ok));
    expect(feed(mixed(9)).opens).toBe(0);
    expect(feed([...mixed(9).slice(0, 19), down]).opens).toBe(1);
  });
  test('at a first 410, never for what one message deserved', () => {
    expect(feed([{ class: 'gone', fault: 'endpoint' }])).toMatchObject({ opens: 1, goneAt: 0 });
    expect(feed(Array.from({ length: 50 }, () => refused))).toMatchObject({ opens: 0 });
  });
});

describe('with numbers of its own', () => {
  const fed = (name: keyof typeof BREAKERS, verdicts: readonly Verdict[]): Breaker =>
    verdicts.reduce(
      (breaker, verdict, n) => afterAnswer(breaker, verdict, { ...at(n), opensAt: BREAKERS[name] }),
      CLOSED,
    );
  const times = (count: number, verdict: Verdict): Verdict[] => Array.from({ length: count }, () => verdict);
  test('opens at five in a row, and not at half of twenty', () => {
    const half = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? down : ok));
    expect(fed('five-in-a-row', half).opens).toBe(0);
    expect(fed('five-in-a-row', times(4, down)).opens).toBe(0);
    expect(fed('five-in-a-row', times(5, down)).opens).toBe(1);
  });
  test('opens at ten failures, whatever succeeds between them, and never at 4xx of messages', () => {
    const one = [down, ...times(8, ok)];
    const mixed = (count: number): Verdict[] => Array.from({ length: count }, () => one).flat();
    expect(fed('ten-failures', times(9, down)).opens).toBe(0);
    expect(fed('ten-failures', times(10, down)).opens).toBe(1);
    expect(fed('ten-failures', [...mixed(9), down]).opens).toBe(1);
    expect(fed('ten-failures', times(100, refused)).opens).toBe(0);
  });
  test('remembers as many results as people are told of, however few of them count', () => {
    expect(fed('five-in-a-row', times(30, down)).recent).toBe('0'.repeat(20));
    expect(fed('ten-failures', times(120, ok)).recent).toBe('1'.repeat(100));
  });
  test('never opens for one message, though its window is full', () => {
    const rules = { ...at(0), opensAt: { failures: 1, ofLast: 1 } };
    expect(afterAnswer(CLOSED, unclear, rules).opens).toBe(0);
    expect(afterAnswer(CLOSED, down, rules).opens).toBe(1);
  });
});

describe('a rate of failures', () => {
  const limit = DISABLES['nineteen-of-twenty'];
  const rated = (verdicts: readonly Verdict[], failed: readonly string[] | undefined, now = 0) =>
    verdicts.reduce<ReturnType<typeof rate>>(
      (before, verdict) => rate(before, verdict, { now, known: failed, failed, limit }),
      undefined,
    );
  const times = (count: number, verdict: Verdict): Verdict[] => Array.from({ length: count }, () => verdict);
  test('is over its limit at 95 of a hundred, of two messages at least', () => {
    const two = ['msg_a', 'msg_b'];
    expect(rated([...times(5, ok), ...times(94, unclear)], two)?.overSince).toBeUndefined();
    expect(rated([...times(5, ok), ...times(95, unclear)], two)?.overSince).toBe(0);
    expect(rated([...times(6, ok), ...times(94, unclear)], two)?.overSince).toBeUndefined();
    expect(rated(times(200, unclear), ['msg_a'])).toBeUndefined();
  });
  test('never counts what one message deserved, nor a wait for its pace', () => {
    expect(rated([...times(200, refused), ...times(200, throttled()), ...times(99, down)], undefined)).toEqual(
      rated(times(99, down), undefined),
    );
  });
  test('forgets what is older than its hours, and is below its limit again', () => {
    const over = rated(times(100, down), undefined);
    expect(over?.overSince).toBe(0);
    const next = { now: 25 * HOUR_MS, known: undefined, failed: undefined, limit };
    expect(rate(over, down, next)?.overSince).toBeUndefined();
  });
  test("disables an hour after it was told, where the last failure is the endpoint's", () => {
    const after = { ...CLOSED, failed: ['msg_a', 'msg_b'] };
    const reason = (now: number, verdict = unclear, days: number | false = 5, failed = after.failed) =>
      disableReason(CLOSED, { ...after, failed }, verdict, { now, days, rated: { hours: '', overSince: 0 } });
    expect(reason(HOUR_MS - 1)).toBeUndefined();
    expect(reason(HOUR_MS)).toBe('failure_rate');
    expect([reason(HOUR_MS, ok), reason(HOUR_MS, refused), reason(HOUR_MS, unclear, false)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(reason(HOUR_MS, unclear, 5, ['msg_a'])).toBeUndefined();
  });
});

describe('an answer that may be about the message or the endpoint', () => {
  const fail = (breaker: Breaker, about: string, now = 0): Breaker =>
    afterAnswer(breaker, unclear, at(now, 5, 0.5, about));
  test('is one word while it comes for one message, and opens nothing', () => {
    let breaker = CLOSED;
    for (let n = 0; n < 30; n++) breaker = fail(breaker, 'msg_a', n);
    expect(breaker).toMatchObject({ opens: 0, recent: '0', failed: ['msg_a'] });
    expect(breaker.failingSince).toBeUndefined();
  });
  test("is the endpoint's as soon as a second message fails: from then on each counts", () => {
    let breaker = fail(fail(CLOSED, 'msg_a'), 'msg_b');
    expect(breaker).toMatchObject({ opens: 0, failed: ['msg_a', 'msg_b'], failingSince: 0 });
    for (let n = 0; n < 3; n++) breaker = fail(breaker, 'msg_a');
    expect(breaker).toMatchObject({ opens: 1, holdWhy: 'breaker' });
  });
  test('begins anew after a success, and does not open again what recovers', () => {
    const healed = afterAnswer(fail(fail(CLOSED, 'msg_a'), 'msg_b'), ok, at(1));
    expect(healed.opens).toBe(0);
    expect([healed.failed, healed.failingSince]).toEqual([undefined, undefined]);
    const recovering = afterAnswer(later(feed([down, down, down, down, down])), ok, at(10));
    expect(fail(recovering, 'msg_a')).toMatchObject({ opens: 1, recovered: 0 });
    expect(fail(recovering, 'msg_a').holdUntil).toBeUndefined();
  });
  test('to a trial request for the only message holds as long again', () => {
    expect(fail({ opens: 3, probes: 0 }, 'msg_a')).toMatchObject({ opens: 3, probes: 1, holdUntil: 120_000 });
  });
  test('never disables for one message', () => {
    const now = 10 * DAY_MS;
    const one = { opens: 2, probes: 50, failingSince: 0, failed: ['msg_a'] };
    expect(disableReason(one, one, unclear, { now, days: 5 })).toBeUndefined();
    const both = { ...one, failed: ['msg_a', 'msg_b'] };
    expect(disableReason(both, both, unclear, { now, days: 5 })).toBe('failing');
  });
});

test('remembers since when the endpoint is silent, until it answers about anything', () => {
  const silent = afterAnswer(afterAnswer(CLOSED, down, at(5)), down, at(9));
  expect(silent.silentSince).toBe(5);
  for (const verdict of [ok, unclear, refused, throttled()])
    expect(afterAnswer(silent, verdict, at(20)).silentSince).toBeUndefined();
});

test('a trial request that meets a refused message holds as long again, counts as a trial request, and says nothing about the endpoint', () => {
  const before: Breaker = { opens: 3, probes: 4, recent: '00000' };
  const after = afterAnswer(before, refused, at(0, 5, 0.5));
  expect(after).toMatchObject({ opens: 3, probes: 5, recent: '00000', holdWhy: 'breaker', holdUntil: 120_000 });
});

test('every hold is within 20 % of 30 s doubled, and never above 15 minutes', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 40 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (opens, draw) => {
        const before: Breaker = { opens, probes: 0, recent: '0000' };
        const { holdUntil = 0 } = afterAnswer(before, down, at(0, 5, draw));
        const plain = 30_000 * 2 ** opens;
        expect(holdUntil).toBeLessThanOrEqual(Math.min(900_000, Math.ceil(1.2 * plain)));
        expect(holdUntil).toBeGreaterThanOrEqual(Math.min(900_000, Math.floor(0.8 * plain)));
      },
    ),
  );
});

test('one request after a hold; then 1, 2, 4 … up to the old cap; closed after three successes', () => {
  let breaker = later(feed([down, down, down, down, down]));
  expect(isOnTrial(breaker)).toBe(true);
  expect(breakerSlots(breaker, 8)).toBe(1);
  const slots: number[] = [];
  for (let n = 0; n < 9; n++) {
    breaker = afterAnswer(breaker, ok, at(100 + n, 8));
    slots.push(breakerSlots(breaker, 8));
  }
  expect(slots).toEqual([1, 2, 2, 4, 4, 4, 4, 8, 8]);
  expect(breaker).toMatchObject({ opens: 0, probes: 0 });
  expect(breaker.failingSince).toBeUndefined();
});

test('the first failure while it recovers opens again, with the next hold', () => {
  const recovering = afterAnswer(later(feed([down, down, down, down, down])), ok, at(10));
  expect(afterAnswer(recovering, down, at(20))).toMatchObject({ opens: 2, holdUntil: 20 + 60_000 });
});

test('what was in the air when the hold began opens nothing twice', () => {
  const open = feed([down, down, down, down, down]);
  expect(afterAnswer(open, down, at(9)).opens).toBe(1);
  expect(afterAnswer(open, down, at(9)).holdUntil).toBe(open.holdUntil);
});

test('throttled answers in a row double our own wait; a hint only makes it longer', () => {
  const holds: number[] = [];
  let breaker = CLOSED;
  for (let n = 0; n < 12; n++) {
    breaker = later(breaker);
    breaker = afterAnswer(breaker, throttled(1_000), at(0));
    holds.push(breaker.holdUntil ?? 0);
  }
  expect(holds.slice(0, 4)).toEqual([5_000, 10_000, 20_000, 40_000]);
  expect(Math.max(...holds)).toBe(900_000);
  expect(afterAnswer(CLOSED, throttled(HOUR_MS), at(0))).toMatchObject({ holdUntil: HOUR_MS, opens: 0 });
  expect(afterAnswer(later(breaker), ok, at(0)).throttles).toBeUndefined();
});

test('one poisonous message among ten never keeps the breaker open for more than ten trial requests, whatever its answer', () => {
  fc.assert(
    fc.property(fc.nat(9), fc.nat(30), fc.constantFrom(down, refused, unclear), (poison, probed, verdict) => {
      let breaker: Breaker = { opens: 3, probes: probed };
      for (let probes = 1; ; probes++) {
        expect(probes).toBeLessThanOrEqual(10);
        if (triedRow(breaker, 10) !== poison) return;
        breaker = later(afterAnswer(breaker, verdict, at(0)));
      }
    }),
  );
});

test('fifty rows of which one is good: a trial request finds it', () => {
  for (let good = 0; good < 50; good++) {
    let breaker: Breaker = { opens: 1, probes: 0 };
    for (let probes = 0; triedRow(breaker, 50) !== good; probes++) {
      expect(probes).toBeLessThanOrEqual(100);
      breaker = later(afterAnswer(breaker, refused, at(0)));
    }
  }
});

describe('disables', () => {
  const days = 5;
  const gone: Verdict = { class: 'gone', fault: 'endpoint' };
  test('at a second 410 a minute after the first, not before', () => {
    const once = feed([gone]);
    expect(disableReason(CLOSED, once, gone, { now: 0, days })).toBeUndefined();
    expect(disableReason(once, once, gone, { now: 59_999, days })).toBeUndefined();
    expect(disableReason(once, once, gone, { now: 60_000, days })).toBe('gone');
    const healed = afterAnswer(later(once), ok, at(10));
    expect(disableReason(healed, healed, gone, { now: 90_000, days })).toBeUndefined();
  });
  test('after some days without a success and ten trial requests, and never where it is switched off', () => {
    const failing = { opens: 9, probes: 10, failingSince: 0 };
    const now = days * DAY_MS;
    expect(disableReason(failing, failing, down, { now, days })).toBe('failing');
    expect(disableReason(failing, failing, down, { now: now - 1, days })).toBeUndefined();
    expect(disableReason(failing, { ...failing, probes: 9 }, down, { now, days })).toBeUndefined();
    expect(disableReason(failing, failing, down, { now, days: false })).toBeUndefined();
  });
  test('when the endpoint asks for it', () => {
    expect(disableReason(CLOSED, CLOSED, { ...down, directive: 'disable' }, { now: 0, days })).toBe('requested');
  });
});
