/** Part of `npm run check`: every file imports only what its room may (rooms.ts). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { forbiddenImports } from './imports.ts';
import { ROOMS } from './rooms.ts';

const ROOT = join(import.meta.dirname, '../..');
const tops = new Set(Object.keys(ROOMS).map(room => room.split('/')[0] ?? room));
const files = [...tops].flatMap(top =>
  top.endsWith('.ts')
    ? [top]
    : readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' })
        .filter(name => /\.tsx?$/.test(name) && !name.includes('node_modules/'))
        .map(name => `${top}/${name}`),
);
const problems = files.flatMap(file => forbiddenImports(file, readFileSync(join(ROOT, file), 'utf8')));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
