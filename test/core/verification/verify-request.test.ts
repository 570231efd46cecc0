import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import type { Crypto } from '#core/ports.ts';
import type { Scheme } from '#core/provider/provider-spec.ts';
import { utf8 } from '#core/scan/bytes.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import {
  contextWith,
  HMAC,
  NOW_MS,
  outcome,
  requestWith,
  signed,
  specWith,
  TIMED,
  URL_OF_SOURCE,
} from './test-spec.ts';

const mac = (secret: string, ...parts: (string | Uint8Array)[]) => {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
};
const T = NOW_MS / 1_000;

describe('the signed bytes', () => {
  it('are the body as received: $ patterns, NULs, lone bytes, line ends and a BOM included', async () => {
    const bodies = [
      '{"a":"$& $\' $` $1 $$"}',
      '\ufeff{}',
      '{}\r\n',
      '',
      '\u0000',
      'a=1&b=2',
      '{"id":12345678901234567890}',
    ];
    for (const body of [...bodies.map(utf8), new Uint8Array([0xff, 0x00, 0xc3, 0x28])]) {
      const request = requestWith(body, { headers: { 'x-signature': mac('secret', body) } });
      expect(await outcome(specWith(HMAC), request)).toBe('verified');
      const timed = requestWith(body, { headers: { 'x-signature': `t=${T},v1=${mac('secret', `${T}.`, body)}` } });
      expect(await outcome(specWith(TIMED), timed)).toBe('verified');
    }
  });

  it('verify for any bytes and for no other bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 400 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async (body, at, flip) => {
          const request = signed(specWith(TIMED), body);
          expect(await outcome(specWith(TIMED), request)).toBe('verified');
          if (body.length === 0) return;
          const changed = new Uint8Array(body);
          changed[at % body.length] = (changed[at % body.length] ?? 0) ^ flip;
          expect(await outcome(specWith(TIMED), { ...request, body: changed })).toBe('mismatch');
        },
      ),
    );
  });

  it('hold the timestamp as received, not as a number', async () => {
    const padded = `00${T}`;
    const good = requestWith('{}', { headers: { 'x-signature': `t=${padded},v1=${mac('secret', `${padded}.{}`)}` } });
    expect(await outcome(specWith(TIMED), good)).toBe('verified');
    const normalised = requestWith('{}', { headers: { 'x-signature': `t=${padded},v1=${mac('secret', `${T}.{}`)}` } });
    expect(await outcome(specWith(TIMED), normalised)).toBe('mismatch');
  });

  it('never let digits move between timestamp and body', async () => {
    const joined: Scheme = { ...HMAC, message: '{ts}{body}', time: { from: 'header:x-time', unit: 's', signed: true } };
    const signature = mac('secret', '1790000000{"a":1}');
    const at = (time: string, body: string) =>
      outcome(specWith(joined), requestWith(body, { headers: { 'x-signature': signature, 'x-time': time } }));
    expect(await at('1790000000', '{"a":1}')).toBe('verified');
    expect(await at('179000000', '0{"a":1}')).toBe('malformed');
    const behind: Scheme = { ...joined, message: '{body}{ts}' };
    const request = requestWith('{"a":1}17', {
      headers: { 'x-signature': mac('secret', '{"a":1}1790000000'), 'x-time': '90000000' },
    });
    expect(await outcome(specWith(behind), request)).toBe('malformed');
  });

  it('cannot be extended where a plain digest is all there is', async () => {
    const digest: Scheme = { ...HMAC, alg: 'digest-sha256', message: '{secret}{body}' };
    const body = utf8('{"a":1}');
    const hash = (...parts: (string | Uint8Array)[]) =>
      parts.reduce((h, part) => h.update(part), createHash('sha256')).digest('hex');
    const good = requestWith(body, { headers: { 'x-signature': hash('secret', body) } });
    expect(await outcome(specWith(digest), good)).toBe('verified');
    // What a length extension needs: the padding of the shorter message, which holds NULs, then more text.
    const padded = Buffer.concat([body, Buffer.from([0x80]), Buffer.alloc(42), Buffer.from(',{"forged":true}')]);
    const forged = requestWith(padded, { headers: { 'x-signature': hash('secret', padded) } });
    expect(await outcome(specWith(digest), forged)).toBe('malformed');
  });

  it('need every value the template names', async () => {
    const scheme: Scheme = { ...HMAC, message: '{header:webhook-id}.{body}' };
    const headers = { 'x-signature': mac('secret', 'a.{}') };
    expect(await outcome(specWith(scheme), requestWith('{}', { headers: { ...headers, 'webhook-id': 'a' } }))).toBe(
      'verified',
    );
    expect(await outcome(specWith(scheme), requestWith('{}', { headers: { ...headers, 'webhook-id': 'a, a' } }))).toBe(
      'mismatch',
    );
    expect(await outcome(specWith(scheme), requestWith('{}', { headers }))).toBe('missing');
    expect(await outcome(specWith({ ...HMAC, message: '{config:id}{body}' }), requestWith('{}', { headers }))).toBe(
      'no_key',
    );
  });
});

describe('N live secrets and M signatures', () => {
  it('verify when any pair fits, in any order', async () => {
    const spec = specWith(TIMED);
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(['new', 'old', 'other-1', 'other-2', 'other-3'], { minLength: 1 }),
        async signers => {
          const list = signers.map(signer => `v1=${mac(signer, `${T}.{}`)}`);
          const request = requestWith('{}', { headers: { 'x-signature': [`t=${T}`, ...list].join(',') } });
          const secret = { current: 'new', previous: 'old', previousNotAfter: NOW_MS + 1 };
          const expected = signers.includes('new') || signers.includes('old') ? 'verified' : 'mismatch';
          expect(await outcome(spec, request, { secret })).toBe(expected);
        },
      ),
    );
  });

  it('tell which secret matched', async () => {
    const secret = { current: 'new', previous: 'old' };
    const by = async (signer: string) => {
      const verdict = await verifyRequest(
        specWith(HMAC),
        signed(specWith(HMAC), '{}', { secret: signer }),
        contextWith({ secret }),
      );
      return verdict.kind === 'verified' ? verdict.matchedSecret : verdict.cause;
    };
    expect(await by('new')).toBe('current');
    expect(await by('old')).toBe('previous');
    expect(await by('third')).toBe('mismatch');
  });

  it('refuse the previous secret after its time, for every kind of scheme', async () => {
    const secret = { current: 'new:a', previous: 'old:a', previousNotAfter: NOW_MS };
    const token: Scheme = { id: 'test', alg: 'token', sig: { from: 'header:x-signature' } };
    for (const scheme of [HMAC, TIMED, token, { ...token, alg: 'basic' as const }]) {
      const spec = specWith(scheme);
      const request = signed(spec, '{}', { secret: 'old:a' });
      expect(await outcome(spec, request, { secret })).toBe('verified');
      expect(await outcome(spec, request, { secret, nowMs: NOW_MS + 1 })).toBe('mismatch');
    }
  });

  it('look at eight signatures of a list, and at a hundred where the spec says so', async () => {
    const good = `v1=${mac('secret', `${T}.{}`)}`;
    const list = (before: number) => [`t=${T}`, ...Array(before).fill(`v1=${'0'.repeat(64)}`), good].join(',');
    const at = (before: number, scheme = TIMED) =>
      outcome(specWith(scheme), requestWith('{}', { headers: { 'x-signature': list(before) } }));
    expect(await at(7)).toBe('verified');
    expect(await at(8)).toBe('mismatch');
    expect(await at(90, { ...TIMED, sig: { ...TIMED.sig, max: 100 } })).toBe('verified');
  });

  it('skip a secret that is empty or cannot be decoded, and say so when none is left', async () => {
    const scheme: Scheme = { ...HMAC, key: { encoding: 'base64', strip: ['whsec_'] } };
    const request = signed(specWith(scheme), '{}', { secret: 'whsec_c2VjcmV0' });
    expect(
      await outcome(specWith(scheme), request, { secret: { current: 'not base64!', previous: 'whsec_c2VjcmV0' } }),
    ).toBe('verified');
    for (const current of ['', 'not base64!', 'whsec_']) {
      expect(await outcome(specWith(scheme), request, { secret: { current } })).toBe('no_key');
    }
    expect(await outcome(specWith(scheme), request, { secret: undefined })).toBe('no_key');
    const ofNothing = requestWith('{}', {
      headers: { 'x-signature': createHmac('sha256', '').update('{}').digest('hex') },
    });
    expect(await outcome(specWith(HMAC), ofNothing, { secret: { current: '' } })).toBe('no_key');
  });
});

describe('signature headers', () => {
  const good = mac('secret', '{}');
  const under = (value: string, scheme = HMAC) =>
    outcome(specWith(scheme), requestWith('{}', { headers: { 'x-signature': value } }));

  it('may be in either case, with or without padding', async () => {
    expect(await under(good.toUpperCase())).toBe('verified');
    const base64: Scheme = { ...HMAC, encoding: 'base64' };
    const text = Buffer.from(good, 'hex').toString('base64');
    expect(await under(text, base64)).toBe('verified');
    expect(await under(text.replace(/=+$/, ''), base64)).toBe('verified');
    expect(await under(Buffer.from(good, 'hex').toString('base64url'), base64)).toBe(
      /[-_]/.test(Buffer.from(good, 'hex').toString('base64url')) ? 'malformed' : 'verified',
    );
  });

  it('are compared at the full length of the algorithm only', async () => {
    for (const value of ['', 'ab', good.slice(0, 62), `${good}00`, `${good} `, `0x${good}`, 'z'.repeat(64)]) {
      expect(['malformed', 'missing']).toContain(await under(value));
    }
  });

  it('with a key for each part trim the keys and never the values', async () => {
    const value = mac('secret', `${T}.{}`);
    const parts = (text: string) => under(text, TIMED);
    expect(await parts(`t=${T}, v1=${value}`)).toBe('verified');
    expect(await parts(` t=${T},\tv1=${value}`)).toBe('verified');
    expect(await parts(`t=${T},v1= ${value}`)).toBe('malformed');
    expect(await parts(`t= ${T},v1=${value}`)).toBe('malformed');
    expect(await parts(`v1=${value}`)).toBe('missing');
    expect(await parts(`t=${T},v0=${value}`)).toBe('missing');
    expect(await parts('nonsense')).toBe('malformed');
  });

  it('that came twice are refused, unless they are equal', async () => {
    for (const join of [',', ', ']) {
      expect(await under([good, good].join(join))).toBe('verified');
      expect(await under([good, good.replace(/^./, 'x')].join(join))).toBe('duplicate_header');
      expect(await under([good, ''].join(join))).toBe('duplicate_header');
      const value = `t=${T},v1=${mac('secret', `${T}.{}`)}`;
      expect(await under([value, value].join(join), TIMED)).toBe('verified');
      expect(await under([value, value.replace('t=1', 't=2')].join(join), TIMED)).toBe('duplicate_header');
      const spaced: Scheme = { ...HMAC, sig: { from: 'header:x-signature', parse: { item: ' ', kv: ',', key: 'v1' } } };
      expect(await under([`v1,${good}`, `v1,${good}`].join(join), spaced)).toBe('verified');
      expect(await under([`v1,${good}`, `v1,${good.replace(/^./, '0')}f`].join(join), spaced)).toBe('duplicate_header');
    }
  });

  it('that are very long are not looked into', async () => {
    expect(await under('a'.repeat(20_000))).toBe('malformed');
  });
});

describe('the time window', () => {
  const at = (time: string | number, nowMs = NOW_MS, key = 'secret') =>
    outcome(
      specWith(TIMED),
      requestWith('{}', { headers: { 'x-signature': `t=${time},v1=${mac(key, `${time}.{}`)}` } }),
      { nowMs },
    );

  it('is closed on both sides', async () => {
    expect(await at(T - 300)).toBe('verified');
    expect(await at(T - 301)).toBe('stale');
    expect(await at(T - 300, NOW_MS + 1)).toBe('stale');
    expect(await at(T + 300)).toBe('verified');
    expect(await at(T + 301)).toBe('future');
    expect(await at(T + 86_400)).toBe('future');
    expect(await at('999999999999')).toBe('future');
    expect(await at('0')).toBe('stale');
  });

  it('is asked after the signature: a stale forgery is a forgery', async () => {
    expect(await at(T - 9_999, NOW_MS, 'other')).toBe('mismatch');
    expect(await at(T + 9_999, NOW_MS, 'other')).toBe('mismatch');
  });

  it('has a strict grammar', async () => {
    for (const junk of [
      '',
      '-1',
      '+1',
      '1e9',
      '0x1',
      '1790000000abc',
      '1790000000.0',
      '1'.repeat(13),
      '１７９',
      'NaN',
      '1 ',
    ]) {
      expect(['malformed', 'missing']).toContain(await at(junk));
    }
  });
});

describe('static tokens and Basic', () => {
  const token: Scheme = { id: 'test', alg: 'token', sig: { from: 'header:x-signature' } };
  const basic: Scheme = { ...token, alg: 'basic' };
  const under = (scheme: Scheme, value: string, current: string) =>
    outcome(specWith(scheme), requestWith('{}', { headers: { 'x-signature': value } }), { secret: { current } });

  it('compare the whole token, of any length, commas and all', async () => {
    expect(await under(token, 'a,b', 'a,b')).toBe('verified');
    expect(await under(token, 'a,a', 'a,a')).toBe('verified');
    expect(await under(token, 'a,b', 'a')).toBe('duplicate_header');
    expect(await under(token, 'a, a', 'a')).toBe('verified');
    expect(await under(token, 'ab', 'a')).toBe('mismatch');
    expect(await under(token, 'A', 'a')).toBe('mismatch');
    expect(await under(token, '', 'a')).toBe('missing');
  });

  it('take a prefix off in any case', async () => {
    const bearer: Scheme = { ...token, sig: { from: 'header:x-signature', parse: { prefix: 'Bearer ' } } };
    expect(await under(bearer, 'bearer abc', 'abc')).toBe('verified');
    expect(await under(bearer, 'abc', 'abc')).toBe('missing');
  });

  it('split Basic at no colon but the first', async () => {
    const pair = (text: string) => Buffer.from(text).toString('base64');
    expect(await under(basic, `Basic ${pair('user:pa:ss')}`, 'user:pa:ss')).toBe('verified');
    expect(await under(basic, `basic ${pair('user:')}`, 'user:')).toBe('verified');
    expect(await under(basic, `Basic ${pair('user:pa')}`, 'user:pa:ss')).toBe('mismatch');
    expect(await under(basic, pair('user:pa'), 'user:pa')).toBe('malformed');
    expect(await under(basic, 'Basic !!!', 'user:pa')).toBe('malformed');
    expect(await under(basic, `Basic ${pair('a:b')}, Basic ${pair('c:d')}`, 'a:b')).toBe('duplicate_header');
  });

  it('count as a shared secret, not as a signature', async () => {
    const verdict = await verifyRequest(specWith(token), signed(specWith(token), '{}'), contextWith());
    expect(verdict).toMatchObject({ kind: 'verified', strength: 'shared-secret' });
  });
});

describe('URLs', () => {
  const scheme: Scheme = { ...HMAC, message: '{url}{body}', url: { base: 'configured' } };

  it('are the configured one with the query as received, whatever Host says', async () => {
    const signature = mac('secret', `${URL_OF_SOURCE}?b=%2F&a=1{}`);
    const headers = { 'x-signature': signature, host: 'evil.example.com', 'x-forwarded-host': 'evil.example.com' };
    const request = requestWith('{}', { headers, rawQuery: 'b=%2F&a=1' });
    expect(await outcome(specWith(scheme), request, { publicUrl: URL_OF_SOURCE })).toBe('verified');
    expect(await outcome(specWith(scheme), { ...request, rawQuery: 'b=/&a=1' }, { publicUrl: URL_OF_SOURCE })).toBe(
      'mismatch',
    );
    expect(await outcome(specWith(scheme), request)).toBe('no_key');
  });

  it('are tried as HubSpot decodes them', async () => {
    const hubspot: Scheme = { ...scheme, url: { base: 'configured', variants: 'hubspot-decode' } };
    const request = (url: string) =>
      requestWith('{}', {
        headers: { 'x-signature': mac('secret', `${url}{}`) },
        rawQuery: 'to=https%3A%2F%2Fa.b%3Fc%20d',
      });
    const decoded = request(`${URL_OF_SOURCE}?to=https://a.b?c%20d`);
    expect(await outcome(specWith(hubspot), decoded, { publicUrl: URL_OF_SOURCE })).toBe('verified');
    const raw = request(`${URL_OF_SOURCE}?to=https%3A%2F%2Fa.b%3Fc%20d`);
    expect(await outcome(specWith(hubspot), raw, { publicUrl: URL_OF_SOURCE })).toBe('verified');
  });
});

describe('alternatives', () => {
  const first: Scheme = { ...HMAC, id: 'first', sig: { from: 'header:x-first' } };
  const second: Scheme = { ...TIMED, id: 'second' };
  const spec = specWith([first, second]);

  it('are tried in order; one that verifies is enough, and is named', async () => {
    const verdict = await verifyRequest(spec, signed(specWith(second), '{}'), contextWith());
    expect(verdict).toMatchObject({ kind: 'verified', scheme: 'second' });
  });

  it('report the cause of the one that got furthest', async () => {
    const stale = signed(specWith(second), '{}', { nowMs: NOW_MS - 999_000 });
    expect(await outcome(spec, stale)).toBe('stale');
    expect(await outcome(spec, { ...stale, headers: { ...stale.headers, 'x-first': 'junk' } })).toBe('stale');
    expect(await outcome(spec, requestWith('{}', { headers: { 'x-first': 'junk' } }))).toBe('malformed');
    expect(await outcome(spec, requestWith('{}'))).toBe('missing');
  });

  it('that a condition excludes are not tried', async () => {
    const form: Scheme = { ...first, when: { queryMissing: ['hash'] }, sig: { from: 'header:x-signature' } };
    const request = signed(specWith(form), '{}');
    expect(await outcome(specWith(form), request)).toBe('verified');
    expect(await outcome(specWith(form), { ...request, rawQuery: 'hash=1' })).toBe('missing');
    const versioned: Scheme = { ...HMAC, when: { header: { 'x-version': 'V2' } } };
    const v2 = signed(specWith(versioned), '{}', { headers: { 'x-version': 'v2' } });
    expect(await outcome(specWith(versioned), v2)).toBe('verified');
    expect(await outcome(specWith(versioned), { ...v2, headers: { ...v2.headers, 'x-version': 'v1' } })).toBe(
      'missing',
    );
  });

  it('of which there are none verify nothing and say so', async () => {
    const verdict = await verifyRequest(
      specWith([], { strength: 'none' }),
      requestWith('x'),
      contextWith({ secret: undefined }),
    );
    expect(verdict).toEqual({ kind: 'verified', scheme: 'none', strength: 'none', matchedSecret: 'none' });
  });
});

describe('comparing', () => {
  it('goes through the constant-time port, with decoded bytes of equal length', async () => {
    const compared: [Uint8Array, Uint8Array][] = [];
    const crypto: Crypto = {
      ...nodeCrypto,
      equal: (a, b) => {
        compared.push([a, b]);
        return nodeCrypto.equal(a, b);
      },
    };
    const token: Scheme = { id: 'test', alg: 'token', sig: { from: 'header:x-signature' } };
    for (const scheme of [HMAC, TIMED, token]) {
      compared.length = 0;
      expect(await outcome(specWith(scheme), signed(specWith(scheme), '{}', { secret: 'wrong' }), { crypto })).toBe(
        'mismatch',
      );
      expect(compared.length).toBeGreaterThan(0);
      for (const [a, b] of compared) expect([a.length, b.length]).toEqual([32, 32]);
      expect(
        await outcome(specWith(scheme), signed(specWith(scheme), '{}'), {
          crypto: { ...nodeCrypto, equal: () => false },
        }),
      ).toBe('mismatch');
    }
  });
});
