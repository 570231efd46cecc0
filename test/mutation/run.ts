/**
 * `npm run mutation -- [room...] [file.ts...]`: changes every expression of a room of core/, or of some files of it, one at a
 * time, and runs the tests that reach it. Prints what no test noticed; test/RESULTS.md has the last scores and what is known
 * of the rest. A second run repeats only what changed. `MUTATION_CONCURRENCY`: processes at once (2).
 */
import { globSync, mkdirSync } from 'node:fs';
import { basename } from 'node:path';
import { argv, env, exit } from 'node:process';
import { Stryker } from '@stryker-mutator/core';
import { ROOMS } from './rooms.ts';

const asked = argv.slice(2).filter(it => !it.endsWith('.ts'));
const files = argv.slice(2).filter(it => it.endsWith('.ts'));
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
    mutate: mutated(room.mutate),
    coverageAnalysis: 'perTest',
    concurrency: Number(env['MUTATION_CONCURRENCY'] ?? 2),
    incremental: true,
    incrementalFile: `${folder}/incremental.json`,
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

/** The files of a room that were asked for; all where none was. */
function mutated(patterns: readonly string[]): readonly string[] {
  const all = patterns.flatMap(pattern => globSync(pattern));
  const some = all.filter(path => files.length === 0 || files.includes(basename(path)));
  if (some.length > 0) return some;
  console.error(
    `no file of the room is called ${files.join(' or ')}: it has ${all.map(it => basename(it)).join(', ')}`,
  );
  exit(1);
}
