/**
 * Runs at the end of `npm ci`, by whatever Node is there: makes `node_modules/.bin/node` the Node 24 that the lock file
 * pins. npm 11 has made that link by itself; npm 10 removes it again with the packages of other platforms. Plain
 * JavaScript, because older Nodes cannot run TypeScript.
 */
import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const MODULES = join(ROOT, 'node_modules');
const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const pinned = Object.keys(optionalDependencies).find(name => existsSync(join(MODULES, name, 'bin')));
const link = join(MODULES, '.bin/node');
if (pinned === undefined) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 24 || (major === 24 && minor < 2)) {
    console.error(
      `No Node for ${process.platform} ${process.arch} is pinned here (package.json, optionalDependencies), and the one on this machine is ${process.version}: install Node 24.2 or newer and run npm ci again.`,
    );
    process.exitCode = 1;
  }
} else if (process.platform !== 'win32' && !lstatSync(link, { throwIfNoEntry: false })) {
  symlinkSync(join('..', pinned, 'bin/node'), link);
}
