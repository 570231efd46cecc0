/** Variants of the outbound model with two kinds of people at the gate, and with probes of what an endpoint refuses for good. */

import { slow, type Variant } from '#test/proof/model/variants.ts';
import type { Shape } from './outbound-model.ts';
import type { OutboundRules } from './outbound-rules.ts';
import { BUILT, bad, good, READ, STUCK } from './outbound-variant.ts';

const PROBED: Partial<OutboundRules> = { probe: 'another message', refused: 1 };
const HELD: Partial<Shape> = { messages: 2, held: true };

/** Who closed the gate, and whom a probe asks. */
export const peopleAndProbes: readonly Variant[] = [
  good('an operator and a customer at the gate', 9_971, { pause: 3, fail: 1 }, { people: 'two' }),
  good(
    'an operator, a customer, 410, delete',
    15_087,
    { pause: 2, gone: 1, fail: 1, delete: 1 },
    { ...BUILT, people: 'two' },
  ),
  bad(
    'a customer closes in another way what an operator closed',
    42,
    'O8 A CUSTOMER OPENED WHAT AN OPERATOR CLOSED',
    { pause: 2 },
    { people: 'two, a customer closes it in another way' },
  ),
  bad(
    'a customer opens what an operator closed',
    14,
    'O8 A CUSTOMER OPENED WHAT AN OPERATOR CLOSED',
    { pause: 1 },
    { people: 'two, a customer opens it' },
  ),
  good('a probe is refused: the next one takes another message, crash', 26_451, { crash: 1 }, PROBED, HELD),
  good('a probe is refused, another is in vain', 34_472, { fail: 1 }, { ...READ, ...PROBED }, HELD),
  slow(
    good(
      'a probe is refused: lease ends early, breaker opens again',
      282_096,
      { zombie: 1, fail: 1, breaker: 1 },
      { ...BUILT, ...PROBED },
      HELD,
    ),
  ),
  good(
    'a probe is refused: 410, enabled with the backlog dropped',
    5_563,
    { gone: 1, fail: 1, drop: 1 },
    { ...BUILT, ...PROBED },
    HELD,
  ),
  bad('a probe takes the oldest message each time', 348, STUCK, {}, { ...PROBED, probe: 'the oldest message' }, HELD),
];
