/** The page, made in memory when the server starts: nothing to build, nothing to forget to build. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { buildPage } from '../../ui/build-page.ts';

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The files of the page by their path. Scripts and styles are named by their content. */
export async function bundlePage(): Promise<ReadonlyMap<string, Asset>> {
  const { script, style } = await buildPage(join(import.meta.dirname, '../app'));
  const named = (
    [
      ['js', 'text/javascript; charset=utf-8', script],
      ['css', 'text/css; charset=utf-8', style],
    ] as const
  ).map(([kind, type, contents]) => {
    const bytes = Buffer.from(contents);
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 10);
    return { kind, path: `/assets/${kind}-${hash}.${kind}`, asset: { type, bytes } };
  });
  const pathOf = (kind: string): string => named.find(it => it.kind === kind)?.path ?? '';
  const html = shell(pathOf('js'), pathOf('css'));
  return new Map([
    ...named.map(({ path, asset }) => [path, asset] as const),
    ['/', { type: 'text/html; charset=utf-8', bytes: Buffer.from(html) }],
  ]);
}

function shell(script: string, style: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Holdfast</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b7a6b'/%3E%3Cpath d='M5 3.5v9M11 3.5v9M5 8h6' stroke='white' stroke-width='2' stroke-linecap='round'/%3E%3C/svg%3E">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body><div id="app"></div><noscript>This page needs JavaScript. In a terminal: holdfast status</noscript></body>
</html>
`;
}
