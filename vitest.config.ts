import { defineConfig } from 'vitest/config';

/** One project per purpose, each with its own time limit, so that a slow test is a failure where it should be fast. */
export default defineConfig({
  test: {
    // One suite waits while another computes; Vitest alone would use a single worker on two cores.
    maxWorkers: 2,
    reporters: ['default', './test/support/proof-reporter.ts'],
    projects: [
      {
        test: { name: 'core', include: ['test/core/**/*.test.ts', 'test/providers/**/*.test.ts'], testTimeout: 5_000 },
      },
      {
        test: {
          name: 'adapters',
          include: [
            'test/contracts/**/*.test.ts',
            'test/adapters/**/*.test.ts',
            'test/cli/**/*.test.ts',
            'test/lambdas/**/*.test.ts',
            'test/handlers/**/*.test.ts',
            'test/ingest-security/**/*.test.ts',
            'test/testing/**/*.test.ts',
            'test/reconciling/**/*.test.ts',
          ],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'proof',
          include: [
            'test/journeys/**/*.test.ts',
            'test/journeys-ordering/**/*.test.ts',
            'test/model/**/*.test.ts',
            'test/conformance/**/*.test.ts',
            'test/mutants/**/*.test.ts',
            'test/simulation/**/*.test.ts',
          ],
          testTimeout: 240_000,
        },
      },
      {
        test: {
          name: 'synth',
          include: ['test/synth/**/*.test.ts', 'test/docs/**/*.test.ts', 'test/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          // A machine with two busy cores may starve the emulator once; twice is a fault.
          retry: 1,
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
