#!/usr/bin/env node
/** The CLI's entry. A program does not load the commands, nor a command the programs. */
import type { ProgramName } from '#cli/programs.ts';

/** What a project runs through npm scripts; each is a program of its own in local/. */
const PROGRAMS: Readonly<Record<ProgramName, () => Promise<unknown>>> = {
  start: () => import('#local/start.ts'),
  check: () => import('#local/check.ts'),
  drill: () => import('#local/drill.ts'),
  deploy: () => import('#local/deploy.ts'),
  diff: () => import('#local/diff.ts'),
  destroy: () => import('#local/deploy.ts'),
};
const [name = ''] = process.argv.slice(2);
if (Object.hasOwn(PROGRAMS, name)) {
  process.argv.splice(2, 1, ...(name === 'destroy' ? ['--destroy'] : []));
  await PROGRAMS[name as ProgramName]();
} else await import('./commands.ts');
