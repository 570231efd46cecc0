/** What the endpoint check sees between two walks, by notes of rows and by what sessions leave: without a walk, and what it needs. */

import { BUILT, bad, good, STUCK } from '#test/proof/model/outbound/outbound-variant.ts';
import type { Variant } from '#test/proof/model/variants.ts';

/** No walk: what these find is found within minutes. */
const NOTES = { ...BUILT, audit: false, noted: 'before the row' } as const;

export const lookedAtByNotes: readonly Variant[] = [
  good('by notes: publish to end, crash, purge', 37_829, { crash: 1, purge: 1 }, NOTES, { publish: 2 }),
  good('by notes: failure, crash, purge', 8_406, { fail: 1, crash: 1, purge: 1 }, NOTES),
  good('by notes: failure, error, purge', 9_117, { fail: 1, error: 1, purge: 1 }, NOTES),
  good('by notes: a second message arrives, crash, purge', 14_639, { crash: 1, purge: 1 }, NOTES, { late: 1 }),
  good('by notes: pause, failure, purge', 5_299, { pause: 1, fail: 1, purge: 1 }, NOTES),
  good('by notes: breaker, throttled, purge', 7_981, { fail: 1, breaker: 1, throttled: 1, purge: 1 }, NOTES),
  good('by notes: replay, crash, purge', 7_201, { replay: 1, crash: 1, purge: 1 }, NOTES),
  good('by notes: lease ends early, failure, purge', 26_067, { zombie: 1, fail: 1, purge: 1 }, NOTES),
  good('by notes: purged twice', 2_273, { purge: 2, fail: 1 }, NOTES),
  bad('noted after the row', 14_461, STUCK, { crash: 1 }, { ...NOTES, noted: 'after the row' }, { publish: 1 }),
  bad(
    'a replay is not noted',
    3_635,
    STUCK,
    { replay: 1, crash: 1 },
    { ...NOTES, noted: 'before the row, not of a replay' },
  ),
  bad(
    'a session does not say when it ended',
    9_587,
    STUCK,
    { fail: 1, error: 1, purge: 1 },
    { ...NOTES, shows: 'only that they are left' },
  ),
  bad(
    'a lease that was left is not looked at',
    8_406,
    STUCK,
    { fail: 1, crash: 1, purge: 1 },
    { ...NOTES, shows: 'only that they were given back' },
  ),
  bad('what a look found is not noted again', 234, STUCK, { purge: 1 }, { ...NOTES, keepsFound: false }),
];
