import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { defineConfig } from 'vitest/config';
import SuiteOrder from './test/kit/runner/suite-order.ts';

// The programs that tests start (the CLI, cdk, functions of the local AWS) compile the same code: only the first has to.
env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

/** Files of a project share a worker's modules: loading them for each anew took a minute. Tests leave nothing behind. */
const SHARED = { isolate: false } as const;

/** Every screen of the console and of the portal, in Chromium. `npm run test:commands` opens the console once, too. */
const BROWSER = ['test/surfaces/{console,portal}/browser.test.ts', 'test/surfaces/console/night.test.ts'];
/** It measures: whatever runs beside it is in its times. */
const ALONE = ['test/surfaces/console/first-paint.test.ts'];

/**
 * Commands as a person types them: `npm start`, a deploy to the local AWS, `npm create holdfast`, `holdfast prove`, `cdk
 * synth` of every environment. Beside them, since they mostly wait: minutes of the local AWS's clock, and two benchmarks on
 * virtual time.
 */
const COMMANDS = [
  'test/e2e/alarm-mutes.test.ts',
  'test/bench/{growth,sizing}.test.ts',
  'test/e2e/local-aws.test.ts',
  'test/e2e/npm-start.test.ts',
  'test/e2e/prove.test.ts',
  'test/packages/create-holdfast.test.ts',
  'test/lib/synth/environments.test.ts',
  'test/lib/synth/stage-in-another-app.test.ts',
];

/** Handlers with their own modules around them: what another file has read, or replaced, must not be there. */
const FRESH = [
  'test/surfaces/lambdas/{real-rules,exported-handlers}.test.ts',
  'test/proof/simulation/simulation-anew.test.ts',
];

/** Amazon's DynamoDB Local and ElasticMQ: two JVMs, which Maven installs the first time. */
const SERVICES = ['test/adapters/contracts/java-services.test.ts'];

/** Every bundle of every environment, built: what is in it, and how large it is. */
const BUILT = ['test/lib/synth/{bundle-parts,bundle-budget,delivery-bundles}.test.ts'];

/** Six minutes of `npm start`, and the drills: they mostly wait. */
const WATCH = ['test/watch/*.watch.ts'];

/**
 * Suites whose tests draw at random: each test is repeated with fresh seeds, in the long run only. A failure prints its
 * seed, which `HOLDFAST_SEED` gives to all of them. Those that go further by themselves in the long run are left out.
 */
const SEEDS = Number(env['HOLDFAST_SEEDS'] ?? 300);
const DRAWN = globSync('test/**/*.test.ts', { cwd: import.meta.dirname }).filter(file => {
  const code = readFileSync(join(import.meta.dirname, file), 'utf8');
  return (
    code.includes("from 'fast-check'") &&
    !/isLongRun|HOLDFAST_LONG/.test(code) &&
    !file.startsWith('test/adapters/contracts/')
  );
});
/** Node loads the modules, as it does what ships: an import costs what it costs there, and nothing is compiled first. */
const BY_NODE = { viteModuleRunner: false, nodeLoader: false } as const;
/** `expect.poll` waits for what must come, on a busy machine too; one second, its default, is less than that. */
const POLL = { poll: { timeout: 5_000 } } as const;

/** One project per purpose, each with its own time limit, so that a slow test is a failure where it should be fast. */
export default defineConfig({
  test: {
    // Two that compute and two that wait; Vitest alone would use a single worker on two cores. The long run has more that compute.
    maxWorkers: env['HOLDFAST_LONG'] === '1' ? 3 : 4,
    // Simulations and models make states that live for a moment: with room for them, crash points take 3 to 9 % less CPU.
    execArgv: ['--max-semi-space-size=64'],
    sequence: { sequencer: SuiteOrder },
    reporters: ['default', './test/kit/runner/proof-reporter.ts'],
    ...(env['HOLDFAST_SEED'] && { setupFiles: ['./test/kit/runner/given-seed.ts'] }),
    projects: [
      ...(env['HOLDFAST_LONG'] === '1'
        ? [{ test: { name: 'seeds', ...SHARED, include: DRAWN, repeats: SEEDS - 1, testTimeout: 240_000 } }]
        : []),
      {
        test: {
          name: 'core',
          ...SHARED,
          include: ['test/core/**/*.test.ts', 'test/providers/**/*.test.ts', 'test/watch/*.test.ts'],
          // Ends a test that hangs. A quick one may wait for a core that long on a busy machine.
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'adapters',
          ...SHARED,
          include: ['test/adapters/**/*.test.ts', 'test/hostile/**/*.test.ts', 'test/surfaces/**/*.test.ts'],
          exclude: ['test/surfaces/docs/**', ...BROWSER, ...ALONE, ...SERVICES, ...FRESH],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      // Only Vitest's own loader replaces a module, or reads it anew.
      { test: { name: 'fresh', include: [...FRESH], testTimeout: 60_000, experimental: { viteModuleRunner: true } } },
      {
        // `npm run test:browser`, after `npm test`, two files at a time: a third of two cores would be idle beside one.
        test: { name: 'browser', include: [...BROWSER], testTimeout: 60_000, hookTimeout: 120_000 },
      },
      {
        // `npm run test:commands`, after `npm test`: each starts processes that want the cores.
        test: { name: 'commands', include: [...COMMANDS], testTimeout: 240_000, hookTimeout: 300_000 },
      },
      {
        // `npm run test:watch`, after `npm test`. In the long run, too, nothing else runs beside a file of it: alarms measure time.
        test: {
          name: 'watch',
          include: [...WATCH],
          testTimeout: 900_000,
          maxConcurrency: 8,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // `npm run test:services`, after `npm test`.
        test: { name: 'services', include: [...SERVICES], testTimeout: 60_000, hookTimeout: 120_000 },
      },
      {
        // `npm run test:bundles`, after `npm test`: what a deploy uploads, in processes of its own.
        test: {
          name: 'bundles',
          include: ['test/bundles/**/*.test.ts', ...BUILT],
          testTimeout: 240_000,
          hookTimeout: 600_000,
        },
      },
      {
        // After all others.
        test: { name: 'browser-alone', include: [...ALONE], hookTimeout: 120_000, sequence: { groupOrder: 3 } },
      },
      {
        // A handler's own test may lie beside it.
        test: { name: 'yours', include: ['handlers/**/*.test.ts'], testTimeout: 60_000 },
      },
      {
        test: {
          name: 'proof',
          ...SHARED,
          include: ['test/proof/**/*.test.ts', 'test/bench/**/*.test.ts'],
          exclude: [...FRESH, ...COMMANDS],
          testTimeout: 240_000,
          // After those that wait now and then: it computes all the time, and a third worker on two cores costs it a tenth.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'synth',
          ...SHARED,
          include: [
            'test/lib/**/*.test.ts',
            'test/packages/*.test.ts',
            'test/surfaces/docs/**/*.test.ts',
            'test/*.test.ts',
            'test/written/*.test.ts',
          ],
          exclude: [...COMMANDS, ...BUILT],
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
          exclude: [...COMMANDS],
          testTimeout: 240_000,
          hookTimeout: 300_000,
          isolate: true,
        },
      },
    ].map(({ test }) => ({ test: { expect: POLL, experimental: BY_NODE, ...test } })),
  },
});
