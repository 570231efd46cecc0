/** The page, made in memory when the server starts: nothing to build, nothing to forget to build. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { buildStagedPage } from '../../ui/build-page.ts';

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
}

const SCRIPT = 'text/javascript; charset=utf-8';

/** The files of the page by their path. Scripts and styles are named by their content. */
export async function bundlePage(): Promise<ReadonlyMap<string, Asset>> {
  const { script, style, first } = await buildStagedPage(join(import.meta.dirname, '../app'));
  const asset = (type: string, contents: Uint8Array): Asset => ({ type, bytes: Buffer.from(contents) });
  const named = (kind: string, contents: Uint8Array): string =>
    `/assets/${kind}-${createHash('sha256').update(contents).digest('hex').slice(0, 10)}.${kind}`;
  const paths = { first: `/assets/${first.name}`, script: named('js', script), style: named('css', style) };
  return new Map([
    [paths.first, asset(SCRIPT, first.bytes)],
    [paths.script, asset(SCRIPT, script)],
    [paths.style, asset('text/css; charset=utf-8', style)],
    ['/', asset('text/html; charset=utf-8', Buffer.from(shell(paths)))],
  ]);
}

interface Paths {
  readonly first: string;
  readonly script: string;
  readonly style: string;
}

/** All three are asked for at once. The first script runs as soon as it is there, the other does not wait for the style. */
function shell({ first, script, style }: Paths): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Holdfast</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b7a6b'/%3E%3Cpath d='M5 3.5v9M11 3.5v9M5 8h6' stroke='white' stroke-width='2' stroke-linecap='round'/%3E%3C/svg%3E">
<link rel="stylesheet" href="${style}">
<script type="module" async src="${first}"></script>
</head>
<body><div id="app"></div><script type="module" async src="${script}"></script><noscript>This page needs JavaScript. In a terminal: holdfast status</noscript></body>
</html>
`;
}
