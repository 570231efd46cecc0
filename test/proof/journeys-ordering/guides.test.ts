/** The code in the guides is the code of the repository (`npm run write` copies it): compiled, and run by the tests beside this one. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const GUIDES = [
  'docs/receive/ordering.md',
  'docs/receive/handlers.md',
  'docs/receive/routing.md',
  'docs/receive/missing-events.md',
  'docs/receive/changed-payloads.md',
];
const SNIPPET = /<!-- (\S+\.ts) -->\n```ts\n(.*?)```/gs;

it.each(GUIDES)('%s shows no code that is not a file', path => {
  const guide = readFileSync(path, 'utf8');
  const shown = [...guide.matchAll(SNIPPET)];
  expect(shown.length).toBeGreaterThan(0);
  const marks = [...guide.matchAll(/<!-- \S+\.ts -->/g)];
  expect(shown, 'every marker is followed by its code').toHaveLength(marks.length);
  expect(guide.match(/^```ts$/gm), 'no code without a file').toHaveLength(shown.length);
});

it.each([...GUIDES, 'docs/operate/secrets.md'])('the links of %s lead somewhere', path => {
  const guide = readFileSync(path, 'utf8');
  for (const [, target = ''] of guide.matchAll(/\]\(([^)#:]+)\)/g))
    expect(existsSync(join(dirname(path), target)), target).toBe(true);
});

it('every example is shown or named, and tested here', () => {
  const guides = GUIDES.map(path => readFileSync(path, 'utf8')).join();
  const tests = readdirSync(import.meta.dirname)
    .map(name => readFileSync(`${import.meta.dirname}/${name}`, 'utf8'))
    .join();
  for (const file of readdirSync('handlers/examples')) {
    expect(guides).toMatch(new RegExp(`<!-- handlers/examples/${file} -->|\`handlers/examples/${file}\``));
    expect(tests).toContain(`#handlers/examples/${file}`);
  }
});
