import { checkVariants } from './check-variants.ts';
import {
  ENDLESS,
  HOT,
  type HotFaults,
  type HotRules,
  hotSourceModel,
  LOST,
  MULTIPLIES,
  STOPPED,
} from './hot-source-model.ts';
import { type Variant, variant } from './variants.ts';

/** One place in flight: whoever waits there stops everybody. */
const narrow: HotFaults = { deaths: false, spares: 0, queueErrors: 0, recovers: false, places: 1 };
const hostile: HotFaults = { deaths: true, spares: 0, queueErrors: 1, recovers: true, places: 99 };

function check(
  kind: 'GOOD' | 'BAD',
  name: string,
  states: number,
  breaks: readonly string[],
  faults: HotFaults,
  rules: Partial<HotRules> = {},
): Variant {
  return variant(kind, name, states, breaks, () => hotSourceModel({ ...HOT, ...rules }, faults));
}

checkVariants(
  'a source whose writes are refused',
  ['I2', 'I7', 'I12'],
  [
    check('GOOD', 'one place in flight, refused forever', 28, [], narrow),
    check('GOOD', 'deaths at every step, the queue fails once', 2_326, [], hostile),
    check('GOOD', 'deaths at every step, a spare copy, refused forever', 59_130, [], {
      ...hostile,
      spares: 1,
      queueErrors: 0,
      recovers: false,
    }),
    check('BAD', 'waits in flight', 5, [STOPPED], narrow, { waits: 'in flight' }),
    check('BAD', 'deletes before it sends', 15, [LOST], hostile, { order: 'delete, then send' }),
    check('BAD', 'sends again at every receive', 513, [MULTIPLIES], hostile, {
      sendsAgain: 'at every receive',
    }),
    check('BAD', 'a copy begins its age anew', 18, [ENDLESS], narrow, { copyKeepsAge: false }),
    check('BAD', 'a copy by reference', 8, [LOST], narrow, { copyIsWhole: false }),
    check('BAD', 'deletes it although the queue did not take the copy', 17, [LOST], hostile, { sendFails: 'deletes' }),
  ],
);
