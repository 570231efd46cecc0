/** Which attempt counts as a failure of its handler, and which is the handler's own decision or nobody's fault. */
import { expect, it } from 'vitest';
import { failedAt, onlyFails } from '#core/inbound/sweep/judge-handlers.ts';

const event = (cause: string, more: object = {}) =>
  ({
    ...{ pk: 'a#1', status: 'failed', attempts: 1, receivedAt: 1_000 },
    ...{ recentAttempts: [{ n: 1, at: 2_000, ms: 5, cause }], ...more },
  }) as never;

it.each(['ok', 'rejected', 'ignored', 'skipped_stale', 'deferred'])(
  'an attempt that ended with %s is no failure',
  cause => {
    expect(failedAt(event(cause))).toBeUndefined();
    expect(onlyFails([event(cause), event(cause, { pk: 'a#2' })])).toBeUndefined();
  },
);

it('an attempt that threw is one, also after a wait that the handler asked for', () => {
  expect(failedAt(event('handler_error'))).toBe(2_000);
  const waited = [
    { n: 1, at: 1_500, ms: 5, cause: 'deferred' },
    { n: 2, at: 2_500, ms: 5, cause: 'handler_error' },
  ];
  const found = onlyFails([event('', { attempts: 2, recentAttempts: waited }), event('timeout', { pk: 'a#2' })]);
  expect(found).toMatchObject({ since: 2_000, lastAt: 2_500, events: 2 });
});
