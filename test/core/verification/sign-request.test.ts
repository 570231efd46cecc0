import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import type { Scheme } from '#core/provider/provider-spec.ts';
import { textOf, utf8 } from '#core/scan/bytes.ts';
import { setJsonText } from '#core/scan/set-json-text.ts';
import { signRequest } from '#core/verification/sign-request.ts';
import { HMAC, NOW_MS, outcome, requestWith, signed, specWith, TIMED, URL_OF_SOURCE } from './test-spec.ts';

const set = (body: string, path: string, value: string) => textOf(setJsonText(utf8(body), path, value));

describe('signing', () => {
  it('gives what verification accepts, for any body and secret', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.string({ minLength: 1, maxLength: 60 }),
        async (body, secret) => {
          for (const scheme of [HMAC, TIMED]) {
            const request = signed(specWith(scheme), body, { secret });
            expect(await outcome(specWith(scheme), request, { secret: { current: secret } })).toBe('verified');
          }
        },
      ),
    );
  });

  it('keeps the headers it was given, and the body where the signature stands elsewhere', () => {
    const input = { body: utf8('{}'), secret: 's', nowMs: NOW_MS, headers: { 'x-event': 'a' }, crypto: nodeCrypto };
    const result = signRequest(specWith(TIMED), input);
    expect(result.headers).toMatchObject({
      'x-event': 'a',
      'x-signature': expect.stringMatching(/^t=1790000000,v1=[0-9a-f]{64}$/),
    });
    expect(result).not.toHaveProperty('body');
    expect(input.headers).toEqual({ 'x-event': 'a' });
    expect(signRequest(specWith([], { strength: 'none' }), input)).toEqual({ headers: { 'x-event': 'a' } });
  });

  it('takes one of several schemes by name', async () => {
    const spec = specWith([HMAC, { ...TIMED, id: 'timed' }]);
    const request = signed(spec, '{}', { scheme: 'timed' });
    expect(request.headers['x-signature']).toContain('t=');
    expect(() => signed(spec, '{}', { scheme: 'other' })).toThrow('give one of test, timed');
  });

  it('says what is missing', () => {
    expect(() => signed(specWith({ ...HMAC, message: '{url}{body}' }), '{}')).toThrow('public_url_not_configured');
    expect(() => signed(specWith({ ...HMAC, alg: 'ed25519' }), '{}')).toThrow(
      'private key (ed25519), and none was given',
    );
    expect(() => signed(specWith(HMAC), '{}', { secret: '' })).toThrow('the secret is empty');
    expect(() => signed(specWith({ ...HMAC, batch: 'items[]' }), '{}')).toThrow('no list of events at "items[]"');
    expect(() => signed(specWith({ ...HMAC, sig: { from: 'json:mac' } }), 'junk')).toThrow('not JSON');
  });

  it('writes times in every grammar', async () => {
    for (const unit of ['s', 'ms', 'iso8601', 'http-date'] as const) {
      const scheme: Scheme = {
        ...HMAC,
        message: '{ts}|{body}',
        time: { from: 'header:date', unit, past: 60, future: 60, signed: true },
      };
      const request = signed(specWith(scheme), '{}');
      expect(await outcome(specWith(scheme), request)).toBe('verified');
      expect(await outcome(specWith(scheme), request, { nowMs: NOW_MS + 60_001 })).toBe('stale');
      expect(await outcome(specWith(scheme), request, { nowMs: NOW_MS - 60_001 })).toBe('future');
    }
    const dated = signed(
      specWith({ ...HMAC, message: '{ts}|{body}', time: { from: 'header:date', unit: 'http-date', signed: true } }),
      '{}',
    );
    expect(dated.headers['date']).toBe(new Date(NOW_MS).toUTCString());
  });

  it('binds the body by a hash in the query', async () => {
    const scheme: Scheme = {
      ...HMAC,
      message: '{url}',
      bind: [{ equals: 'query:bodySHA256', hash: 'sha256', encoding: 'hex' }],
    };
    const request = signed(specWith(scheme), '{"a":1}', { publicUrl: URL_OF_SOURCE, rawQuery: 'x=1' });
    expect(request.rawQuery).toMatch(/^x=1&bodySHA256=[0-9a-f]{64}$/);
    expect(await outcome(specWith(scheme), request, { publicUrl: URL_OF_SOURCE })).toBe('verified');
    expect(await outcome(specWith(scheme), { ...request, body: utf8('{"a":2}') }, { publicUrl: URL_OF_SOURCE })).toBe(
      'binding',
    );
    expect(await outcome(specWith(scheme), { ...request, rawQuery: 'x=1' }, { publicUrl: URL_OF_SOURCE })).toBe(
      'mismatch',
    );
  });

  it('puts signatures into form fields', async () => {
    const scheme: Scheme = { ...HMAC, sig: { from: 'form:sig' }, message: '{form:payload}' };
    const request = signed(specWith(scheme), 'payload=a%20b%2Bc&x=1');
    expect(await outcome(specWith(scheme), request)).toBe('verified');
    const twice = requestWith(`${textOf(request.body)}&payload=other`);
    expect(await outcome(specWith(scheme), twice)).toBe('missing');
  });
});

describe('writing one value into JSON', () => {
  it('leaves every other byte as it is', () => {
    expect(set('{ "a" : 1.0, "b":"x" }', 'b', 'y"z')).toBe('{ "a" : 1.0, "b":"y\\"z" }');
    expect(set('{ "a" : 1.0 }', 'a', '7')).toBe('{ "a" : 7 }');
    expect(set('{"a":12345678901234567890}', 'b', 'x')).toBe('{"b":"x","a":12345678901234567890}');
    expect(set('', 'a', '1')).toBe('{"a":1}');
    expect(set('{}', 'a.b.c', 'x')).toBe('{"a":{"b":{"c":"x"}}}');
    expect(set('{"a":{"d":0}}', 'a.b.c', 'x')).toBe('{"a":{"b":{"c":"x"},"d":0}}');
    expect(set('{"items":[{"a":1},{}]}', 'items[1].b', 'x')).toBe('{"items":[{"a":1},{"b":"x"}]}');
    expect(set('{"a":"1"}', 'a', '2')).toBe('{"a":"2"}');
    expect(set('{}', 'a', '007')).toBe('{"a":"007"}');
  });

  it('says when the path does not fit', () => {
    expect(() => set('[]', 'a', 'x')).toThrow('cannot be put at "a"');
    expect(() => set('{"a":1}', 'a.b', 'x')).toThrow('cannot be put at "a.b"');
    expect(() => set('junk', 'a', 'x')).toThrow('not JSON');
  });
});
