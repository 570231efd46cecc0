/** Whoever stays while others change the project reads the configuration anew, with the files that it imports. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const READER = pathToFileURL(join(import.meta.dirname, '../../../local/project/read-anew.ts')).href;

/** In a process of its own, as `holdfast console` is one: what it prints after each line of `steps`. */
function inProject(files: Readonly<Record<string, string>>, steps: string): unknown {
  const root = mkdtempSync(join(tmpdir(), 'anew-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'providers'));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(root, name), text);
    utimesSync(join(root, name), 1_000, 1_000);
  }
  const script = `
    import { writeFileSync } from 'node:fs';
    import { importFile, writtenAt } from '${READER}';
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
