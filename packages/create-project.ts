/** `npm run create -- ../my-webhooks --providers stripe,github`: what `npm create holdfast` does, from this checkout. */
import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { argv, env, execPath } from 'node:process';
import { type BuiltPackages, buildPackages, packAll } from './build.ts';

/** Makes the project; it keeps the package it was made from as a tarball beside its package.json, for CI, too. */
export function createProject(target: string, options: readonly string[], built: BuiltPackages, tarball: string): void {
  const holdfast = ['--holdfast', `file:./${basename(tarball)}`];
  execFileSync(execPath, [join(built.create, 'dist/main.js'), target, ...options, ...holdfast], { stdio: 'inherit' });
  copyFileSync(tarball, join(target, basename(tarball)));
}

if (import.meta.main) {
  const [target = '', ...options] = argv.slice(2);
  if (target === '' || target.startsWith('-')) {
    console.error('Usage: npm run create -- <folder> [--providers stripe,github]');
    process.exitCode = 2;
  } else {
    const built = await buildPackages();
    try {
      // npm runs a script in the folder of its package.json, and says where the person was.
      createProject(resolve(env['INIT_CWD'] ?? '.', target), options, built, packAll(built).holdfast);
    } catch (error) {
      // The program has said what is wrong.
      process.exitCode = (error as { status?: number }).status ?? 1;
    }
  }
}
