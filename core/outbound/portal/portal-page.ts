/** The page as a browser gets it: a shell, its script and styles, and headers that let nothing else in. */
import type { Crypto } from '#core/ports.ts';
import type { Reply } from '#core/reply.ts';
import { toHex, utf8 } from '#core/scan/bytes.ts';
import { themeCss } from './theme.ts';

/** What the producer gave it (core/config/portal-config.ts). */
export interface PortalLook {
  readonly name: string;
  readonly accent: string;
  readonly logo?: string;
  readonly frameAncestors: readonly string[];
}
export interface PageTexts {
  readonly script: string;
  readonly style: string;
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'";
/** Files are named by their content. */
const FOREVER = 'public, max-age=31536000, immutable';

/** What `GET /portal` (`file` undefined) and `GET /portal/{file}` answer; undefined: there is no such file. */
export function portalPage(
  portal: PortalLook,
  { script, style }: PageTexts,
  crypto: Pick<Crypto, 'hash'>,
): (file?: string) => Reply | undefined {
  const headers = guardHeaders(portal);
  const named = (
    [
      ['app', 'js', 'text/javascript; charset=utf-8', script],
      ['style', 'css', 'text/css; charset=utf-8', style],
      ['theme', 'css', 'text/css; charset=utf-8', themeCss(portal.accent)],
    ] as const
  ).map(([name, ending, type, body]) => {
    const hash = toHex(crypto.hash('sha256', utf8(body))).slice(0, 12);
    const file = `${name}-${hash}.${ending}`;
    return {
      name,
      file,
      reply: { status: 200, headers: { ...headers, 'content-type': type, 'cache-control': FOREVER }, body },
    };
  });
  const fileOf = (name: string): string => named.find(each => each.name === name)?.file ?? '';
  const shell: Reply = {
    status: 200,
    headers: { ...headers, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
    body: shellOf(portal, fileOf),
  };
  return file => (file === undefined ? shell : named.find(each => each.file === file)?.reply);
}

/** Of every answer of the portal's function. */
export function guardHeaders({ frameAncestors }: Pick<PortalLook, 'frameAncestors'>): Readonly<Record<string, string>> {
  const ancestors = frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ');
  return {
    'content-security-policy': `${POLICY}; frame-ancestors ${ancestors}`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'strict-transport-security': 'max-age=31536000',
    ...(frameAncestors.length === 0 ? { 'x-frame-options': 'DENY' } : {}),
  };
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, found => `&#${found.charCodeAt(0)};`);

/** Addresses are relative: a domain may lead to the portal below a path of its own. */
function shellOf({ name, logo }: PortalLook, fileOf: (name: string) => string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escaped(name)} webhooks</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="portal/${fileOf('style')}">
<link rel="stylesheet" href="portal/${fileOf('theme')}">
<script type="module" src="portal/${fileOf('app')}"></script>
</head>
<body><div id="app" data-name="${escaped(name)}" data-logo="${escaped(logo ?? '')}"></div><noscript>This page needs JavaScript.</noscript></body>
</html>
`;
}
