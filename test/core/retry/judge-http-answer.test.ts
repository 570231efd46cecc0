/**
 * One judge for every service an event is sent on to. Claims: 1. a wait is never under the schedule's own and never
 * above a day, however the header is written. 2. Redirects and locks are judged alike everywhere. 3. Every status has
 * exactly one verdict.
 */
import { describe, expect, it } from 'vitest';
import { HINT_CAP_MS, judgeHttpAnswer, waitMs } from '#core/retry/judge-http-answer.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
const OWN_MS = 7_000;
const hintOf = (header: string | undefined): number | undefined => {
  const judged = judgeHttpAnswer(429, header, NOW);
  expect(judged.kind).toBe('busy');
  return judged.kind === 'busy' ? judged.hintMs : undefined;
};

describe('the wait after an answer that asks for one', () => {
  it.each([
    ['0', OWN_MS],
    ['', OWN_MS],
    [undefined, OWN_MS],
    ['soon', OWN_MS],
    ['-5', OWN_MS],
    ['1', OWN_MS],
    ['120', 120_000],
    ['Sun, 22 Nov 2026 12:05:00 GMT', 300_000],
    ['Sun, 22 Nov 2020 12:05:00 GMT', OWN_MS],
    ['31536000', HINT_CAP_MS],
    ['Mon, 22 Nov 2027 12:00:00 GMT', HINT_CAP_MS],
  ])('Retry-After %j: %i ms', (header, expected) => {
    expect(waitMs(OWN_MS, hintOf(header))).toBe(expected);
  });

  it('a schedule that waits longer than a day keeps its own wait', () => {
    expect(waitMs(3 * HINT_CAP_MS, hintOf('60'))).toBe(3 * HINT_CAP_MS);
  });
});

describe('what a status means', () => {
  it.each([
    ['accepted', [200, 201, 202, 204, 299]],
    ['busy', [429]],
    ['failed', [100, 300, 302, 303, 307, 408, 409, 421, 423, 425, 500, 501, 502, 503, 504, 599, 600, 999]],
    ['refused', [301, 308, 400, 401, 402, 403, 404, 405, 406, 407, 410, 411, 413, 415, 418, 422, 451, 499]],
  ])('%s', (kind, statuses) => {
    for (const status of statuses) expect(judgeHttpAnswer(status, undefined, NOW).kind, String(status)).toBe(kind);
  });

  it('503 is busy when it names a time, and a failure when it does not', () => {
    expect(judgeHttpAnswer(503, '30', NOW)).toEqual({ kind: 'busy', hintMs: 30_000 });
    expect(judgeHttpAnswer(503, 'later', NOW)).toEqual({ kind: 'failed' });
    expect(judgeHttpAnswer(500, '30', NOW)).toEqual({ kind: 'failed' });
  });

  it('every status has one verdict, and a time changes only 429 and 503', () => {
    for (let status = 100; status < 1_000; status++) {
      const plain = judgeHttpAnswer(status, undefined, NOW);
      const timed = judgeHttpAnswer(status, '9', NOW);
      if (status === 429 || status === 503) expect(timed.kind).toBe('busy');
      else expect(timed).toEqual(plain);
    }
  });
});
