/** Rooms of core/ whose every expression Stryker changes, and the suites that must notice. */
export interface Room {
  /** Files to change. */
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
  /** Suites of these that read the files as text: Stryker's copy of a file has more in it. */
  readonly without?: readonly string[];
}

export const ROOMS: Readonly<Record<string, Room>> = {
  scan: {
    mutate: ['core/scan/*.ts'],
    tests: ['test/core/scan/*.test.ts', 'test/core/inbound/process/parse-payload.test.ts'],
  },
  verification: {
    mutate: ['core/verification/**/*.ts'],
    tests: ['test/core/verification/**/*.test.ts', 'test/providers/*.test.ts'],
    without: ['test/core/verification/compare-rule.test.ts'],
  },
  protocol: {
    mutate: ['core/inbound/protocol/*.ts'],
    tests: [
      'test/core/inbound/**/*.test.ts',
      'test/proof/mutants/write-guards.test.ts',
      'test/proof/journeys/bad-messages.test.ts',
    ],
  },
  sending: {
    mutate: ['core/outbound/protocol/*.ts'],
    // Of the suites that reach it the quick ones: a mutant that none of its tests notices runs them all.
    tests: [
      'test/core/outbound/protocol/*.test.ts',
      'test/core/outbound/api/{deliveries,lists,pull}.test.ts',
      'test/core/outbound/drain/{drain-batch,health,one-endpoint,pace,schedule}.test.ts',
      'test/core/outbound/tend/{backlog,reconcile-messages}.test.ts',
    ],
  },
};
