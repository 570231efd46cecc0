/**
 * `npm run mutation -- [room...]`: changes every expression of a room of core/, one at a time, and runs the tests that reach
 * it. Prints what no test noticed; docs/testing.md has the last scores and what is known of the rest.
 */
import { mkdirSync } from 'node:fs';
import { argv, env, exit } from 'node:process';
import { Stryker } from '@stryker-mutator/core';
import { ROOMS } from './rooms.ts';

const asked = argv.slice(2);
for (const name of asked.length > 0 ? asked : Object.keys(ROOMS)) {
  const room = ROOMS[name];
  if (room === undefined) {
    console.error(`${name} is no room: give one or more of ${Object.keys(ROOMS).join(', ')}, or none for all`);
    exit(1);
  }
  env['MUTATION_ROOM'] = name;
  const folder = `.holdfast/mutation/${name}`;
  mkdirSync(folder, { recursive: true });
  await new Stryker({
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    mutate: [...room.mutate],
    coverageAnalysis: 'perTest',
    concurrency: 2,
    // What runs once while a module loads reaches every test: such a mutant would cost a run of all.
    ignoreStatic: true,
    // Stryker would rewrite it with an API that TypeScript 7 has not.
    tsconfigFile: 'none',
    tempDirName: 'node_modules/.cache/stryker',
    ignorePatterns: ['.holdfast', 'cdk.out', 'bench/peers', 'test/oracles'],
    reporters: ['clear-text', 'json', 'progress-append-only'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false, allowEmojis: false },
    jsonReporter: { fileName: `${folder}/report.json` },
    timeoutMS: 10_000,
  } as ConstructorParameters<typeof Stryker>[0]).runMutationTest();
}
