/** The prose of the repository, cut into what can be checked. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

export interface Page {
  /** From the repository's root. */
  readonly path: string;
  readonly text: string;
}

/** Code that a page shows of a file of the repository, behind a comment with its path. */
export const GUIDE_CODE = /(<!-- (\S+\.ts) -->\n)```ts\n[\s\S]*?```/;

/** README, SECURITY, …, and everything below docs/. */
export function readPages(): readonly Page[] {
  const markdown = (folder: string, recursive: boolean): string[] =>
    readdirSync(join(ROOT, folder), { recursive, encoding: 'utf8' })
      .filter(name => name.endsWith('.md'))
      .map(name => normalize(join(folder, name)));
  return [...markdown('.', false), ...markdown('docs', true)].map(path => ({
    path,
    text: readFileSync(join(ROOT, path), 'utf8'),
  }));
}

/** Inline code of the prose. */
export function inlineCode({ text }: Page): readonly string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

/** Command lines: inline code, and the lines of blocks that a person pastes. A line's end may be escaped. */
export function commandLines(page: Page): readonly string[] {
  const blocks = [...page.text.matchAll(/^```(?:bash|sh|text|console|)\n([\s\S]*?)^```/gm)].map(
    ([, code = '']) => code,
  );
  const lines = blocks.flatMap(code => code.replaceAll(/\\\n\s*/g, ' ').split('\n'));
  return [
    ...inlineCode(page),
    ...lines.map(line =>
      line
        .replace(/^\s*\$\s+/, '')
        .replace(/\s#\s.*$/, '')
        .trim(),
    ),
  ];
}

/** Targets of links and images that lead to a file here, with the anchor if there is one. */
export function relativeLinks(page: Page): readonly { readonly file: string; readonly anchor: string }[] {
  const prose = page.text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter(target => !/^[a-z]+:/.test(target))
    .map(target => {
      const [file = '', anchor = ''] = target.split('#');
      return { file: file === '' ? page.path : normalize(join(dirname(page.path), file)), anchor };
    });
}

/** The anchors of a page's headings, as code hosts make them. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6}\s+(.+)$/gm)];
  return new Set(
    headings.map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-'),
    ),
  );
}
