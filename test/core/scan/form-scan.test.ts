import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Scheme } from '#core/provider/provider-spec.ts';
import { textOf, utf8 } from '#core/scan/bytes.ts';
import { fieldText, scanForm, scanQuery, sortedForm } from '#core/scan/form-scan.ts';
import { HMAC, outcome, requestWith, specWith, URL_OF_SOURCE } from '../verification/test-spec.ts';

describe('form fields', () => {
  it('are read as browsers read them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' })), {
          maxLength: 6,
        }),
        pairs => {
          const names = new Set(pairs.map(([name]) => name));
          if (names.size !== pairs.length) return;
          const fields = scanForm(utf8(new URLSearchParams(pairs).toString()));
          for (const [name, value] of pairs) {
            if (/^[\x20-\x7e]+$/.test(name)) expect(fieldText(fields, name)).toBe(value);
          }
        },
      ),
    );
  });

  it('that repeat with another value have none', () => {
    expect(fieldText(scanForm(utf8('a=1&a=1')), 'a')).toBe('1');
    expect(fieldText(scanForm(utf8('a=1&a=2')), 'a')).toBeUndefined();
    expect(fieldText(scanForm(utf8('a=%ff')), 'a')).toBeUndefined();
    expect(fieldText(scanForm(utf8('a')), 'a')).toBe('');
    expect(fieldText(scanForm(utf8('')), 'a')).toBeUndefined();
    expect(fieldText(scanQuery('a=%zz'), 'a')).toBe('%zz');
    expect(scanQuery('a=é')).toBeUndefined();
  });

  it('are limited in number', () => {
    expect(scanForm(utf8(Array(1_000).fill('a=1').join('&')))).toHaveLength(1_000);
    expect(scanForm(utf8(Array(1_001).fill('a=1').join('&')))).toBeUndefined();
  });

  it('are sorted as Twilio does, repeated values made one', () => {
    const sorted = (body: string) => textOf(sortedForm(scanForm(utf8(body)) ?? []));
    expect(sorted('b=2&a=1&C=3')).toBe('C3a1b2');
    expect(sorted('a=2&a=1&a=2')).toBe('a1a2');
    expect(sorted('a=&b')).toBe('ab');
    expect(sorted('a=Zo%C3%AB+x')).toBe('aZoë x');
  });
});

describe('a form signed with its URL', () => {
  const scheme: Scheme = {
    ...HMAC,
    alg: 'hmac-sha1',
    message: '{url}{formSorted}',
    url: { base: 'configured', variants: 'twilio' },
  };
  const sign = (text: string) => ({ 'x-signature': createHmac('sha1', 'secret').update(text).digest('hex') });
  const check = (body: string, text: string, publicUrl = URL_OF_SOURCE) =>
    outcome(specWith(scheme), requestWith(body, { headers: sign(text) }), { publicUrl });

  it('is refused when a field is changed, added or removed', async () => {
    const text = `${URL_OF_SOURCE}a1b2`;
    expect(await check('b=2&a=1', text)).toBe('verified');
    for (const body of ['b=2&a=2', 'b=2', 'b=2&a=1&c=3', 'b=2&a=1&A=', ''])
      expect(await check(body, text)).toBe('mismatch');
    expect(await check(Array(1_001).fill('a=1').join('&'), text)).toBe('malformed');
  });

  it('may be signed with or without the standard port', async () => {
    expect(await check('', 'https://hooks.example.com:443/in/source')).toBe('verified');
    expect(await check('', 'https://hooks.example.com/in/source', 'https://hooks.example.com:443/in/source')).toBe(
      'verified',
    );
    expect(await check('', 'https://hooks.example.com:8443/in/source')).toBe('mismatch');
    expect(await check('', 'http://hooks.example.com:80/in/source', 'http://hooks.example.com/in/source')).toBe(
      'verified',
    );
  });
});
