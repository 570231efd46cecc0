import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { portalPage } from '#core/outbound/portal/portal-page.ts';

const LOOK = { name: 'Acme', accent: '#7a2ea0', frameAncestors: [] as string[] };
const TEXTS = { script: 'export {};', style: 'body{}' };
const pageOf = (look: Partial<typeof LOOK> = {}) => portalPage({ ...LOOK, ...look }, TEXTS, nodeCrypto);

describe('the page of the portal', () => {
  it('asks only for its own files, which never change under their names', () => {
    const page = pageOf();
    const { body = '', headers = {} } = page() ?? {};
    expect(headers['cache-control']).toBe('no-cache');
    const files = [...body.matchAll(/(?:src|href)="([^"]*)"/g)]
      .map(([, file = '']) => file)
      .filter(it => it !== 'data:,');
    // Relative: below `/portal` of the domain, or of a path on it.
    expect(files.map(file => file.slice(0, 7))).toEqual(['portal/', 'portal/', 'portal/']);
    for (const file of files) {
      const reply = page(file.replace('portal/', ''));
      const type = file.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8';
      expect(reply?.headers, file).toMatchObject({
        'cache-control': expect.stringContaining('immutable'),
        // With `nosniff` a browser runs nothing under another name.
        'content-type': type,
      });
    }
    expect(files.map(file => page(file.replace('portal/', ''))?.body).join()).toContain('--accent:#7a2ea0');
    expect([page('app.js'), page('../portal'), page('__proto__')]).toEqual([undefined, undefined, undefined]);
  });

  it('lets nothing in, and shows itself in frames of the named origins only', () => {
    const alone = pageOf()()?.headers ?? {};
    expect(alone['content-security-policy']).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
    expect(alone['x-frame-options']).toBe('DENY');
    const framed = pageOf({ frameAncestors: ['https://app.acme.com', 'https://*.acme.dev'] })()?.headers ?? {};
    expect(framed['content-security-policy']).toMatch(
      /frame-ancestors https:\/\/app\.acme\.com https:\/\/\*\.acme\.dev$/,
    );
    expect(framed['x-frame-options']).toBeUndefined();
    expect(framed['content-security-policy']).not.toMatch(/unsafe|https:\/\/(?!app\.acme\.com|\*\.acme\.dev)/);
  });

  it('writes the name of the producer as text', () => {
    const { body = '' } = pageOf({ name: '"><script>alert(1)</script>' })() ?? {};
    expect(body).not.toContain('<script>alert');
    expect(body).toContain('&#60;script&#62;alert');
  });
});
