/** Whoever stays while others change the project reads the configuration anew, with the files that it imports. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const READER = pathToFileURL(join(import.meta.dirname, '../../../local/project/read-anew.ts')).href;

/** In a process of its own, as `holdfast console` is one: what it prints after each line of `steps`. */
function inProject(files: Readonly<Record<string, string>>, steps: string, before = ''): unknown {
  const root = mkdtempSync(join(tmpdir(), 'anew-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'providers'));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(root, name), text);
    utimesSync(join(root, name), 1_000, 1_000);
  }
  const script = `
    import { writeFileSync } from 'node:fs';
    ${before}
    const { importFile, writtenAt } = await import('${READER}');
    const file = process.cwd() + '/gateway.config.ts';
    const readConfig = async anew => (await importFile(file, anew)).gateway;
    const configWrittenAt = () => writtenAt(file);
    const said = [];
    ${steps}
    console.log(JSON.stringify(said));`;
  const args = ['--input-type=module', '--disable-warning=ExperimentalWarning', '-e', script];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
}

it('notices a file that the configuration imports, through others too, and reads it anew', () => {
  const said = inProject(
    {
      'gateway.config.ts': `import { own } from './providers/own.ts'; export const gateway = { own };`,
      'providers/own.ts': `import { title } from './title.ts'; export const own = { title, n: 1 as number };`,
      'providers/title.ts': `export const title = 'one';`,
    },
    `said.push((await readConfig()).own, configWrittenAt());
     writeFileSync('providers/title.ts', "export const title = 'two';");
     const written = configWrittenAt();
     said.push(written > 1e9, (await readConfig(true)).own);
     writeFileSync('providers/title.ts', "export const title = 'three';");
     await new Promise(done => setTimeout(done, 20));
     writeFileSync('providers/own.ts', "import { title } from './title.ts'; export const own = { title, n: 2 };");
     said.push(configWrittenAt() > written, (await readConfig(true)).own, (await readConfig()).own);`,
  );
  expect(said).toEqual([
    { title: 'one', n: 1 },
    1_000_000,
    true,
    { title: 'two', n: 1 },
    true,
    { title: 'three', n: 2 },
    { title: 'one', n: 1 },
  ]);
});

it('reads a configuration on a Node that cannot watch what it imports, which is told elsewhere that it is too old', () => {
  const said = inProject(
    { 'gateway.config.ts': `export const gateway = { n: 1 };` },
    `said.push(await readConfig(), configWrittenAt());`,
    `import module, { syncBuiltinESMExports } from 'node:module';
     delete module.registerHooks;
     syncBuiltinESMExports();`,
  );
  expect(said).toEqual([{ n: 1 }, 1_000_000]);
});

it('keeps one mark on what was read anew, and one hook', () => {
  const said = inProject(
    {
      'gateway.config.ts': `import { own } from './providers/own.ts'; export const gateway = { own };`,
      'providers/own.ts': `export const own = import.meta.url;`,
      'handlers.ts': `import './providers/own.ts';`,
    },
    `said.push(hooks());
     await importFile(process.cwd() + '/handlers.ts');
     await readConfig();
     const { own } = await readConfig(true);
     said.push(own.match(/anew=/g).length, hooks());`,
    `import module, { syncBuiltinESMExports } from 'node:module';
     const register = module.registerHooks;
     let count = 0;
     const hooks = () => count;
     module.registerHooks = hook => { count++; return register(hook); };
     syncBuiltinESMExports();`,
  );
  expect(said).toEqual([0, 1, 1]);
});
