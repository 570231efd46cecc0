import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkTarget, type TargetRules } from '#core/outbound/address/target-url.ts';
import { GOOD_URLS, OWN_HOSTS, SPELLINGS } from '#test/hostile/address-corpus.ts';

const RULES: TargetRules = { ports: [443], ownHosts: OWN_HOSTS, allowAddresses: [] };
const EMULATED: TargetRules = { ...RULES, allowAddresses: ['127.0.0.1', '::1'] };

describe('the URL of an endpoint', () => {
  it('has a corpus of at least 300 bad spellings', () => {
    expect(SPELLINGS.length).toBeGreaterThanOrEqual(300);
  });

  it.each(SPELLINGS)('refuses %j', url => {
    expect(checkTarget(url, RULES).kind).toBe('refused');
  });

  it.each(GOOD_URLS)('takes %j, and calls what was written', url => {
    const parsed = new URL(url);
    expect(checkTarget(url, RULES)).toEqual({
      kind: 'allowed',
      target: {
        protocol: 'https:',
        host: parsed.hostname,
        port: 443,
        path: `${parsed.pathname}${parsed.search}`,
        literal: false,
      },
    });
  });

  it('takes other ports where they are allowed', () => {
    const rules = { ...RULES, ports: [443, 8443] };
    expect(checkTarget('https://hooks.customer.com:8443/in', rules)).toMatchObject({ target: { port: 8443 } });
    expect(checkTarget('https://hooks.customer.com:9443/in', rules)).toMatchObject({
      message: expect.stringContaining('443, 8443'),
    });
  });

  it('takes literal addresses and http only where they are allowed, as they are written', () => {
    expect(checkTarget('http://127.0.0.1:4000/ok?x=1', EMULATED)).toEqual({
      kind: 'allowed',
      target: { protocol: 'http:', host: '127.0.0.1', port: 4_000, path: '/ok?x=1', literal: true },
    });
    expect(checkTarget('https://[::1]:4000/', EMULATED)).toMatchObject({ target: { host: '::1', literal: true } });
    for (const url of [
      'http://127.0.0.2/',
      'http://2130706433/',
      'http://127.1/',
      'http://user@127.0.0.1/',
      'http://hooks.customer.com/',
    ])
      expect([url, checkTarget(url, EMULATED).kind]).toEqual([url, 'refused']);
  });

  it('says what is wrong, and never throws, whatever is given', () => {
    const piece = fc.constantFrom(
      'https://',
      'http:',
      '//',
      '@',
      ':',
      '443',
      '.',
      'customer',
      'com',
      '127.0.0.1',
      '[',
      ']',
      '::1',
      '%',
      '\\',
      '/',
      '?',
      '#',
      '\t',
      '。',
      'a',
      '0x7f',
    );
    const text = fc.oneof(
      fc.string(),
      fc.webUrl(),
      fc.array(piece, { maxLength: 8 }).map(pieces => `https://${pieces.join('')}`),
    );
    fc.assert(
      fc.property(text, url => {
        const verdict = checkTarget(url, RULES);
        if (verdict.kind === 'refused') {
          expect(verdict.message.length).toBeGreaterThan(10);
          return;
        }
        const { host, port, protocol, path } = verdict.target;
        const parsed = new URL(url);
        // What is called is what every URL parser reads, and it is a name.
        expect([host, port, protocol, path]).toEqual([
          parsed.hostname,
          443,
          'https:',
          `${parsed.pathname}${parsed.search}`,
        ]);
        expect(isIP(host)).toBe(0);
        expect(url.toLowerCase().startsWith(`https://${host}`)).toBe(true);
        expect(path).toMatch(/^\/[!-~]*$/);
      }),
      { numRuns: 150 },
    );
  }, 20_000);
});
