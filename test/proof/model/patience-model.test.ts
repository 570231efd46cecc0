import { checkVariants } from './check-variants.ts';
import { PATIENCE, type PatienceRules, patienceModel } from './patience-model.ts';
import { type Variant, variant } from './variants.ts';

type Failures = Parameters<typeof patienceModel>[1];
const EARLY = 'DEAD BEFORE THE SCHEDULE WAS OVER';
const NO_END = 'I2 AN EVENT NEVER ENDS';
const all: Failures = ['fails', 'asks', 'probes', 'strays'];

function check(
  kind: 'GOOD' | 'BAD',
  name: string,
  states: number,
  breaks: readonly string[],
  {
    failures,
    comesBack = false,
    pauses = 0,
    ...rules
  }: { failures: Failures; comesBack?: boolean; pauses?: number } & Partial<PatienceRules>,
): Variant {
  return variant(kind, name, states, breaks, () =>
    patienceModel({ ...PATIENCE, ...rules }, failures, comesBack, pauses),
  );
}

checkVariants(
  'what spends an attempt',
  ['I2', 'I9', 'I12'],
  [
    check('GOOD', 'any failure, the dependency comes back', 40, [], { failures: all, comesBack: true }),
    check('GOOD', 'any failure, forever', 29, [], { failures: all }),
    check('GOOD', 'only asked waits, forever', 13, [], { failures: ['asks'] }),
    check('GOOD', 'only probes of an open breaker, forever', 13, [], { failures: ['probes'] }),
    check('GOOD', 'only strays, forever', 13, [], { failures: ['strays'] }),
    check('BAD', 'a stray is an attempt', 5, [EARLY], { failures: ['strays'], heldElsewhere: 'attempt' }),
    check('BAD', 'strays are free without a bound', 11, [NO_END], { failures: ['strays'], heldElsewhere: 'free' }),
    check('BAD', 'an asked wait is an attempt', 5, [EARLY], { failures: ['asks'], askedWait: 'attempt' }),
    check('BAD', 'a probe is an attempt', 5, [EARLY], { failures: ['probes'], probeOfOpenBreaker: 'attempt' }),
    check('BAD', 'asked waits are free without a bound', 11, [NO_END], { failures: ['asks'], askedWait: 'free' }),
    check('BAD', 'probes are free without a bound', 11, [NO_END], { failures: ['probes'], probeOfOpenBreaker: 'free' }),
    check('GOOD', 'any failure, forever, and two long pauses', 105, [], { failures: all, pauses: 2 }),
    check('BAD', 'a pause is waited through where the sweeper holds the event back', 19, [EARLY], {
      failures: ['asks'],
      pauses: 1,
      pauseRestarts: 'processor',
    }),
    check('BAD', 'each free wait starts the time anew', 4, [NO_END], { failures: ['asks'], restartsClock: true }),
  ],
);
