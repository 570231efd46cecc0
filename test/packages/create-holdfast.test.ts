/**
 * 1. The compiled package exports what the sources do, and finds the files it reads.
 * 2. `create-holdfast` makes a project for any provider whose check and whose tests are green at once.
 * 3. Its mistakes are named with what is allowed, and a folder with files in it is left alone.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withPublishedImports } from '#packages/build.ts';
import { PROVABLE } from '#packages/create/project-files.ts';
import { PROVIDERS } from '#providers/index.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { ENTRIES, exportsOf } from '#test/surfaces/sdk/public-exports.ts';
import { type PackedProject, packProject, REPOSITORY } from './packed-project.ts';

let packed: PackedProject;
beforeAll(async () => {
  packed = await packProject();
});
afterAll(() => packed.remove());

const create = (...args: string[]) => packed.node([join(packed.create, 'dist/main.js'), ...args]);

describe('the package', () => {
  it.each(Object.entries(ENTRIES))('exports from %s what the sources do', async (entry, file) => {
    const program = `console.log(JSON.stringify(Object.keys(await import('${entry}')).sort()))`;
    const { output } = await packed.node(['--input-type=module', '--eval', program]);
    const values = exportsOf(file).filter(each => !each.isType);
    expect(JSON.parse(output)).toEqual(values.map(({ name }) => name).sort());
  });

  it('imports nothing by a name that only this repository knows, but the handlers of the project', async () => {
    const files = (await readdir(join(packed.holdfast, 'dist'), { recursive: true })).filter(it => it.endsWith('.js'));
    expect(files.length).toBeGreaterThan(300);
    const odd = new Set<string>();
    for (const file of files) {
      const code = await readFile(join(packed.holdfast, 'dist', file), 'utf8');
      for (const [, name = ''] of code.matchAll(/(?:from|import)\s*\(?\s*["'](#[^"']+|\.[^"']+\.ts)["']/g))
        odd.add(name);
    }
    expect([...odd]).toEqual(['#handlers/index.ts']);
  });

  it('depends on every package that its code imports, and on no other', async () => {
    const files = (await readdir(join(packed.holdfast, 'dist'), { recursive: true })).filter(it => it.endsWith('.js'));
    const used = new Set<string>();
    for (const file of files) {
      const code = await readFile(join(packed.holdfast, 'dist', file), 'utf8');
      const statement = /^(?:import|export)\b[^;]*?["']((?:@[a-z-]+\/)?[a-z][a-z0-9-]*)(?:\/[^"']*)?["'];$/gm;
      const call = /(?:\bimport|\.resolve)\(["']((?:@[a-z-]+\/)?[a-z][a-z0-9-]*)(?:\/[^"']*)?["']\)/g;
      for (const [, name = ''] of [...code.matchAll(statement), ...code.matchAll(call)]) used.add(name);
    }
    const { dependencies, peerDependencies } = JSON.parse(
      await readFile(join(packed.holdfast, 'package.json'), 'utf8'),
    );
    const declared = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
    // The project's own: its compiler, and what is imported by a test that the console writes into it.
    const written = ['holdfast', 'typescript', 'vitest'];
    expect([...used].filter(name => !declared.includes(name) && !written.includes(name))).toEqual([]);
    expect(declared.filter(name => !used.has(name))).toEqual([]);
  });

  it('brings each page that its code names', async () => {
    const files = (await readdir(join(packed.holdfast, 'dist'), { recursive: true })).filter(it => it.endsWith('.js'));
    const named = new Set<string>();
    for (const file of files) {
      // Comments are for who reads the repository.
      const code = (await readFile(join(packed.holdfast, 'dist', file), 'utf8')).replace(
        /\/\*.*?\*\/|^\s*\/\/.*$/gms,
        '',
      );
      // Not the pages of others, such as developer.example.com, docs/x.
      for (const [, page = ''] of code.matchAll(/(?<![\w./-]|, )(docs\/[\w/-]+\.(?:md|json)\b)/g)) named.add(page);
    }
    expect(named.size).toBeGreaterThan(10);
    const missing = [...named].filter(page => !existsSync(join(packed.holdfast, 'dist', page)));
    expect(missing).toEqual([]);
  });

  it('brings the page of the console', async () => {
    const program = `const { bundlePage } = await import('${join(packed.holdfast, 'dist/console/server/bundle.js')}');
      console.log([...(await bundlePage())].map(([path, { bytes }]) => path.slice(0, 8) + (bytes.length > 300)).sort().join())`;
    const { output } = await packed.node(['--input-type=module', '--eval', program]);
    expect(output.trim()).toBe('/assets/true,/assets/true,/assets/true,/true');
  });

  it('rewrites every form of an import', () => {
    const code =
      "import a from '#core/x.ts';\nexport * from './y.ts';\nconst z = import(\"../z.ts\");\nconst t = './not-an-import.ts';";
    expect(withPublishedImports(code, 'lib/a/b.js')).toBe(
      "import a from '../../core/x.js';\nexport * from './y.js';\nconst z = import(\"../z.js\");\nconst t = './not-an-import.ts';",
    );
  });
});

describe('create-holdfast', () => {
  it('makes a project for every third provider, all in the long run, whose check and tests are green', async () => {
    // Those that prove nothing want an address list first, which the check asks a person for.
    const all = Object.values(PROVIDERS).flatMap(({ id, strength }) => (strength === 'none' ? [] : [id]));
    const ids = isLongRun() ? all : all.filter((_, index) => index % 3 === 0);
    const made = await create('all', '--providers', ids.join(','));
    expect(made, made.output).toMatchObject({ code: 0 });
    const project = join(packed.folder, 'all');
    const check = await packed.node([join(packed.holdfast, 'dist/bin/holdfast.js'), 'check'], project);
    expect(check.output).toContain(
      `${ids.length} sources, ${ids.some(id => PROVABLE.includes(id)) ? 4 : 3} environments`,
    );
    const tests = (await readdir(join(project, 'test'))).length;
    // Without a test: providers whose sample is no event that a handler sees.
    expect(tests).toBeGreaterThan(0.9 * ids.length);
    const vitest = join(REPOSITORY, 'node_modules/vitest/vitest.mjs');
    const ran = await packed.node([vitest, 'run', '--root', project, '--no-isolate'], project);
    expect(ran.output).toMatch(new RegExp(`Tests +${tests} passed \\(${tests}\\)`));
  });

  it('makes a project for pnpm when pnpm asks', async () => {
    const env = { npm_config_user_agent: 'pnpm/12.1.3 npm/? node/v24.1.0 linux x64' };
    const made = await packed.node([join(packed.create, 'dist/main.js'), 'with-pnpm'], packed.folder, env);
    expect(made.output).toMatch(/pnpm install\n +pnpm test .*\n +pnpm start .*\n +pnpm run deploy dev /);
    const text = (path: string) => readFile(join(packed.folder, 'with-pnpm', path), 'utf8');
    expect(await text('.github/workflows/deploy.yml')).toContain(
      '      - uses: pnpm/action-setup@v4\n        with: { version: 12.1.3 }\n      - uses: actions/setup-node',
    );
    expect(await text('pnpm-workspace.yaml')).toBe('allowBuilds:\n  esbuild: true\n');
    for (const path of ['README.md', '.github/workflows/deploy.yml'])
      expect(await text(path), path).not.toMatch(/(?<!p)npm (ci|test|start|run|install)|npx/);
  });

  it('writes a provider whose files name each other as a project names them', async () => {
    const folder = join(packed.folder, 'own-provider');
    const args = ['sources', 'new', 'acme', '--folder', folder];
    const made = await packed.node([join(packed.holdfast, 'dist/bin/holdfast.js'), ...args]);
    expect(made.output).toContain("import { acme } from './providers/acme.ts';");
    const test = await readFile(join(folder, 'test/acme-provider.test.ts'), 'utf8');
    expect(test).toContain("import { acme } from '../providers/acme.ts';");
  });

  it('says what a project lacks, in a folder that is none', async () => {
    const { code, output } = await packed.node([join(packed.holdfast, 'dist/bin/holdfast.js'), 'check'], '/');
    expect(code).toBe(1);
    expect(output).toMatch(/^There is no gateway\.config\.ts in .*npm create holdfast/);
    expect(output).not.toMatch(/\n\s+at /);
  });

  it.each([
    [['x', '--providers', 'strip'], /There is no provider "strip"\. Did you mean strava or stripe\?/],
    [[], /^Usage: npm create holdfast <folder>/],
    [['full'], /is not empty\. Give the name of a new folder\./],
    [['x', '--provider', 'stripe'], /Unknown option '--provider'/],
  ])('with %j says what to do instead', async (args, message) => {
    await mkdir(join(packed.folder, 'full'), { recursive: true });
    await writeFile(join(packed.folder, 'full/mine.txt'), 'x');
    const { code, output } = await create(...args);
    expect(code).toBe(2);
    expect(output).toMatch(message);
    expect(await readdir(join(packed.folder, 'full'))).toEqual(['mine.txt']);
  });
});
