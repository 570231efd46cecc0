/** Every command line that the documentation tells people to type exists, with these options. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { everyCommand } from './every-command.ts';

const PAGES = ['README.md', ...pagesIn('docs')];
const commands = everyCommand();

function pagesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .map(name => `${folder}/${name}`);
}

/** Command lines of a page, in code blocks and in code of a line. */
function commandLines(page: string): string[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(/(?:^(?:\$ )?|`|\| |\()(?:npm run )?holdfast (?:-- )?([a-z][^`\n|)]*)/gm)].map(
    ([, line = '']) => line.trim(),
  );
}

describe.each(PAGES.map(page => [page, commandLines(page)] as const).filter(([, lines]) => lines.length > 0))(
  '%s',
  (_page, lines) => {
    it.each([...new Set(lines)])('holdfast %s', line => {
      const words = line.replace(/\s+#.*$/, '').split(/\s+/);
      const found = commands
        .filter(({ path }) => path.every((word, at) => word === words[at]))
        .sort((a, b) => b.path.length - a.path.length)[0];
      expect(found, 'is a command').toBeDefined();
      const known = new Set([
        '--json',
        '--env',
        '--help',
        ...(found?.command.options.map(option => option.long) ?? []),
      ]);
      const unquoted = line.replaceAll(/"[^"]*"/g, '');
      for (const [option] of unquoted.matchAll(/(?<=\s)--[a-z-]+/g)) expect([...known], line).toContain(option);
    });
  },
);

it('docs/reference/cli.md shows every command', () => {
  const page = readFileSync('docs/reference/cli.md', 'utf8');
  for (const { path } of commands) expect(page).toMatch(new RegExp(`^- \`${path.join(' ')}[ \`]`, 'm'));
});
