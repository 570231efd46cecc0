import fc from 'fast-check';
import { expect, it } from 'vitest';
import { given } from '#core/given.ts';
import type { EventPk } from '#core/glossary.ts';
import type { Attempt, AttemptEnd } from '#core/inbound/process/attempt.ts';
import { judgeAttempt } from '#core/inbound/process/judge-attempt.ts';
import { spanMs } from '#core/retry/backoff.ts';
import { DAY_MS } from '#core/time.ts';

const NOW = 1_800_000_000_000;
const AT = { now: NOW, deferLimitMs: 7 * DAY_MS, random: { next: () => 0.5 } };
const RETRY = { attempts: 3, baseSeconds: 10, capSeconds: 100 };
const FAILED: AttemptEnd = { kind: 'failed', cause: 'error', message: 'no' };

const attemptOf = (item: Partial<Attempt['item']> = {}, more: Partial<Attempt> = {}): Attempt => ({
  item: {
    pk: 'shop#k' as EventPk,
    status: 'processing',
    owner: 'me',
    leaseUntil: NOW + 30_000,
    attempts: 1,
    gen: 1,
    ...item,
  } as Attempt['item'],
  claimId: 'me',
  startedAt: NOW - 10,
  retry: RETRY,
  ...more,
});
const outcome = (it: Extract<AttemptEnd, { kind: 'outcome' }>['outcome']): AttemptEnd => ({
  kind: 'outcome',
  outcome: it,
  effects: [],
});

// Holds I2: every chain of rulings ends.
it('ends every event, whatever its attempts answer and however long each waits', () => {
  const END = fc.constantFrom<AttemptEnd>(
    FAILED,
    outcome({ kind: 'retry', afterSeconds: 60, reason: 'busy' }),
    outcome({ kind: 'retry', afterSeconds: 60, reason: 'busy', hint: true }),
    outcome({ kind: 'deferred', untilMs: 0, reason: 'first the other' }),
    { kind: 'unready', cause: 'dependency', message: 'away' },
  );
  fc.assert(
    fc.property(fc.array(END, { minLength: 1, maxLength: 20 }), fc.boolean(), (ends, open) => {
      let now = NOW;
      let item = attemptOf().item;
      for (let turn = 0; turn < 100_000; turn++) {
        const end = ends[turn % ends.length] ?? FAILED;
        const breaker = open ? { breaker: { name: 'h', backAt: now + 5_000 } } : {};
        const ruling = judgeAttempt(attemptOf(item, breaker), end, { ...AT, now });
        if (ruling.kind !== 'again') return ruling.kind === 'die';
        expect(ruling.at).toBeGreaterThan(now);
        // As the writes do: a wait gives the attempt back and keeps its start; a failure counts.
        const given = ruling.waiting === undefined ? 0 : 1;
        item = { ...item, ...ruling.waiting, attempts: item.attempts - given + 1 } as Attempt['item'];
        now = ruling.at + DAY_MS / 24;
      }
      return false;
    }),
    { numRuns: 30 },
  );
});

it('gives the last failure the number of attempts, and no other', () => {
  expect(judgeAttempt(attemptOf({ attempts: 2 }), FAILED, AT)).toEqual({
    kind: 'again',
    cause: 'error',
    message: 'no',
    // Attempt 2 of base 10 s: between 10 and 20 s, and a second.
    at: NOW + 16_000,
  });
  expect(judgeAttempt(attemptOf({ attempts: 3 }), FAILED, AT)).toEqual({
    kind: 'die',
    cause: 'error',
    message: 'no (attempt 3 of 3)',
  });
});

it('takes a wait that the handler chose at its word, and a hint of a service never below the own wait', () => {
  const after = (afterSeconds: number, hint?: true) =>
    judgeAttempt(attemptOf(), outcome({ kind: 'retry', afterSeconds, reason: 'r', ...given({ hint }) }), AT);
  expect(after(2)).toMatchObject({ at: NOW + 2_000, waiting: { unreadySince: NOW } });
  expect(after(0)).toMatchObject({ at: NOW + 1_000 });
  expect(after(400 * 86_400)).toMatchObject({ at: NOW + 7 * DAY_MS });
  expect(after(2, true)).toMatchObject({ at: NOW + 8_500 });
  expect(after(2, true)).not.toHaveProperty('waiting');
  expect(after(30, true)).toMatchObject({ at: NOW + 30_000 });
});

it('gives an attempt back while a breaker is open, for as long as the schedule would last', () => {
  const breaker = { name: 'shop:paid', backAt: NOW + 5_000 };
  const since = NOW - spanMs(RETRY);
  const ruling = judgeAttempt(attemptOf({ unreadySince: since + 1 }, { breaker }), FAILED, AT);
  expect(ruling).toMatchObject({ at: NOW + 5_000, waiting: { unreadySince: since + 1, waitsFor: 'shop:paid' } });
  const counted = judgeAttempt(attemptOf({ unreadySince: since }, { breaker }), FAILED, AT);
  expect(counted).toMatchObject({ kind: 'again' });
  expect(counted).not.toHaveProperty('waiting');
});

it('lets a wait last up to its limit from its own beginning, and then ends the event', () => {
  const defer = outcome({ kind: 'deferred', untilMs: NOW + 30 * DAY_MS, reason: 'later' });
  const began = NOW - 6 * DAY_MS;
  expect(judgeAttempt(attemptOf({ deferredSince: began, unreadySince: 1 }), defer, AT)).toMatchObject({
    kind: 'again',
    cause: 'deferred',
    at: began + 7 * DAY_MS,
    waiting: { deferredSince: began },
  });
  expect(judgeAttempt(attemptOf({ deferredSince: NOW - 7 * DAY_MS }), defer, AT)).toMatchObject({
    kind: 'die',
    cause: 'deferred_too_long',
  });
  const unready: AttemptEnd = { kind: 'unready', cause: 'dependency', message: 'away', splitNext: 'events.3' };
  expect(judgeAttempt(attemptOf(), unready, AT)).toMatchObject({
    at: NOW + 60_000,
    message: 'dependency: away',
    splitNext: 'events.3',
    waiting: { unreadySince: NOW },
  });
});

it('closes what was rejected, stale or ignored without another attempt', () => {
  const close = (status: string) => ({ kind: 'close', status, reason: 'r' });
  expect(judgeAttempt(attemptOf(), { kind: 'ignored', reason: 'r' }, AT)).toEqual(close('ignored'));
  expect(judgeAttempt(attemptOf(), outcome({ kind: 'rejected', reason: 'r' }), AT)).toEqual(close('rejected'));
  expect(judgeAttempt(attemptOf(), outcome({ kind: 'stale', reason: 'r' }), AT)).toEqual(close('skipped_stale'));
  expect(judgeAttempt(attemptOf(), { kind: 'permanent', cause: 'c', message: 'm' }, AT)).toEqual({
    kind: 'die',
    cause: 'c',
    message: 'm',
  });
});
