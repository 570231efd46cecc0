/**
 * `npm run write`: makes every file that is made from code and needs neither a browser nor AWS. It prints the files that
 * changed. `npm run write -- --check` changes none, and fails when one is out of date.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { argv, execPath, exit } from 'node:process';
import { ROOT, readWritten, WRITERS } from './writers.ts';

const check = argv.includes('--check');
let stale = 0;
for (const [name, make] of Object.entries(WRITERS)) {
  const files = await make();
  for (const [path, text] of files) {
    if (readWritten(path) === text) continue;
    stale += 1;
    console.log(`${check ? 'out of date' : text === undefined ? 'removed' : 'wrote'}: ${path} (${name})`);
    if (check) continue;
    const file = join(ROOT, path);
    mkdirSync(dirname(file), { recursive: true });
    if (text === undefined) rmSync(file);
    else writeFileSync(file, text);
  }
  // The list is loaded already: only another process sees what it has now, and makes its pages.
  if (name === 'the list of providers' && stale > 0 && !check)
    exit(spawnSync(execPath, [import.meta.filename], { stdio: 'inherit' }).status ?? 1);
}
if (stale === 0) console.log('Every file that is made from code is up to date.');
else if (check) {
  console.error('Run: npm run write');
  process.exitCode = 1;
}
