/**
 * Conditions left out of the protocol's writes one at a time, in whole runs of the product. That each condition of each
 * write counts at all is shown by write-guards.test.ts.
 */
import { expect, it } from 'vitest';
import { conditionsSeen, killerOf } from './condition-killer.ts';

/** Of core/inbound/event-writes.ts, all that change a record which is there. */
const WRITES = [
  'asDeferral',
  'catchUp',
  'claim',
  'countResend',
  'deathDone',
  'die',
  'dieUnclaimed',
  'finish',
  'markEnqueued',
  'markSwept',
  'park',
  'replay',
  'retryLater',
  'retrySoon',
  'revive',
  'reviveParked',
  'rewatch',
  'unpark',
  'unwatch',
  'watchUnsent',
];
const SAMPLE = [
  'claim: gen eq',
  'claim: leaseUntil lt',
  'claim: status in',
  'claim: nextAttemptAt missing',
  'countResend: watchAt eq',
];

it('knows every write of the protocol by what it changes', async () => {
  const seen = await conditionsSeen(100);
  const writes = new Set(seen.map(condition => condition.split(': ')[0]));
  expect([...writes].sort()).toEqual(WRITES);
});

it.each(SAMPLE)('is noticed when it is missing: %s', async condition => {
  expect(await killerOf(condition), `"${condition}" can be left out and no suite notices`).toBeDefined();
});
