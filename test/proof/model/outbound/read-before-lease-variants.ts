/** Variants of the outbound model in which others act between the read of the rows and the lease. */

import type { Variant } from '#test/proof/model/variants.ts';
import { bad, good, NO_NETS, READ, SENT_AGAIN, STUCK } from './outbound-variant.ts';

/** Another session, a pause, a replay, a delete. A canceled message is, for the model, one that is older than the retention. */
export const betweenReadAndLease: readonly Variant[] = [
  good('rows before the lease: another session, crash', 1_102, { crash: 1 }, READ, { wakeUps: 2 }),
  good(
    'rows before the lease: another session fails, no nets',
    23_969,
    { fail: 1 },
    { ...NO_NETS, ...READ },
    { late: 1 },
  ),
  good(
    'rows before the lease: throttled, breaker, lost reply',
    24_406,
    { throttled: 1, fail: 1, breaker: 1, lost: 1 },
    READ,
    { wakeUps: 2 },
  ),
  good('rows before the lease: lease ends early, replay', 9_770, { zombie: 1, replay: 1 }, READ),
  good('rows before the lease: pause, old rows', 28_842, { pause: 1, expire: 1, fail: 1 }, READ),
  good('rows before the lease: delete and replay', 33_890, { delete: 1, replay: 1, crash: 1 }, READ, { wakeUps: 2 }),
  bad(
    'the lease is taken whatever the gate since',
    56,
    'O8 SENT WHILE PAUSED OR DISABLED',
    { pause: 1 },
    { ...READ, leaseIf: 'whatever the gate' },
  ),
  bad(
    'the lease is taken whatever the hold since',
    144,
    'O9 A SESSION WHILE THE ENDPOINT IS ON HOLD',
    { throttled: 1 },
    { ...READ, leaseIf: 'whatever the hold' },
    { wakeUps: 2 },
  ),
  bad(
    'rows read before the lease are sent by what they were',
    108,
    SENT_AGAIN,
    {},
    { ...READ, lookAtRecord: false },
    { wakeUps: 2 },
  ),
  bad(
    'rows read before the lease, no look at later rows at the end, no audit',
    21_153,
    STUCK,
    { zombie: 1, fail: 1 },
    { ...NO_NETS, ...READ, recheckFuture: false },
    { wakeUps: 2 },
  ),
];
