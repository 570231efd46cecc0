import { createHash, createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Jwk, KeyFetcher } from '#core/ports.ts';
import type { ProviderSpec, Scheme } from '#core/provider/provider-spec.ts';
import type { VerifyContext } from '#core/verification/verify-context.ts';
import { NOW_MS, outcome, requestWith, signed, specWith, URL_OF_SOURCE } from './test-spec.ts';

const NOW = NOW_MS / 1_000;
const HS256: Scheme = {
  id: 'test',
  alg: 'jwt',
  sig: { from: 'header:authorization', parse: { prefix: 'Bearer ', prefixOptional: true } },
  jwtAlg: 'HS256',
  claims: { aud: 'config:audience' },
};
const SETTINGS = { audience: 'https://hooks.example.com' };
const CLAIMS = { aud: SETTINGS.audience, iat: NOW, exp: NOW + 300 };

const encode = (part: unknown) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
const hs256 = (claims: unknown, header: unknown = { alg: 'HS256' }, key: string | Buffer = 'secret') => {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
};
const check = (token: string, scheme: Scheme = HS256, context: Partial<VerifyContext> = {}, body = '{}') =>
  outcome(specWith(scheme), requestWith(body, { headers: { authorization: token } }), {
    settings: SETTINGS,
    ...context,
  });

describe('a token', () => {
  it('verifies with or without its optional prefix', async () => {
    expect(await check(hs256(CLAIMS))).toBe('verified');
    expect(await check(`Bearer ${hs256(CLAIMS)}`)).toBe('verified');
  });

  it('has the algorithm of the spec, never one of its own choice', async () => {
    const text = `${encode({ alg: 'none' })}.${encode(CLAIMS)}.`;
    expect(await check(text)).toBe('malformed');
    expect(await check(`${text}AAAA`)).toBe('malformed');
    expect(await check(hs256(CLAIMS, { alg: 'HS512' }))).toBe('malformed');
    expect(await check(hs256(CLAIMS, { alg: 'hs256' }))).toBe('malformed');
    expect(await check(hs256(CLAIMS, {}))).toBe('malformed');
  });

  it('cannot use a public key as a shared secret', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
    const rs256: Scheme = { ...HS256, jwtAlg: 'RS256' };
    expect(await check(hs256(CLAIMS, { alg: 'HS256' }, pem), rs256, { secret: { current: pem } })).toBe('malformed');
    expect(await check(hs256(CLAIMS, { alg: 'RS256' }, pem), rs256, { secret: { current: pem } })).toBe('mismatch');
  });

  it('is refused with an extension we do not know, or in another form', async () => {
    expect(await check(hs256(CLAIMS, { alg: 'HS256', crit: ['exp'], b64: false }))).toBe('malformed');
    for (const token of [
      'a.b',
      'a.b.c',
      '..',
      `${hs256(CLAIMS)}.x`,
      hs256('[]'),
      hs256('"x"'),
      hs256('{'),
      `${hs256(CLAIMS)}=`,
      'x'.repeat(9_000),
    ]) {
      expect(await check(token)).toBe('malformed');
    }
  });

  it('must end, and must have begun', async () => {
    const at = (claims: object) => check(hs256({ aud: SETTINGS.audience, ...claims }));
    expect(await at({})).toBe('malformed');
    expect(await at({ iat: NOW })).toBe('malformed');
    expect(await at({ exp: NOW - 29 })).toBe('verified');
    expect(await at({ exp: NOW - 31 })).toBe('stale');
    expect(await at({ exp: NOW + 60, nbf: NOW + 29 })).toBe('verified');
    expect(await at({ exp: NOW + 60, nbf: NOW + 31 })).toBe('future');
    expect(await at({ exp: NOW + 60, iat: NOW + 31 })).toBe('future');
    for (const exp of ['9999999999', null, -1, {}, true]) expect(await at({ exp })).toBe('malformed');
  });

  it('may be limited by its age', async () => {
    const aged: Scheme = { ...HS256, maxAgeSeconds: 300 };
    expect(await check(hs256({ aud: SETTINGS.audience, iat: NOW - 300 }), aged)).toBe('verified');
    expect(await check(hs256({ aud: SETTINGS.audience, iat: NOW - 301 }), aged)).toBe('stale');
    expect(await check(hs256({ aud: SETTINGS.audience, exp: NOW + 9 }), aged)).toBe('malformed');
  });

  it('names whom it is for', async () => {
    expect(await check(hs256({ ...CLAIMS, aud: ['x', SETTINGS.audience] }))).toBe('verified');
    for (const aud of ['other', ['other'], undefined, {}, { toString: SETTINGS.audience }]) {
      expect(await check(hs256({ ...CLAIMS, aud }))).toBe('binding');
    }
    expect(await check(hs256(CLAIMS), HS256, { settings: {} })).toBe('no_key');
    expect(
      await check(
        hs256({ ...CLAIMS, aud: URL_OF_SOURCE }),
        { ...HS256, claims: { aud: 'url' } },
        { publicUrl: URL_OF_SOURCE },
      ),
    ).toBe('verified');
    expect(
      await check(hs256({ ...CLAIMS, email_verified: true }), { ...HS256, claims: { email_verified: 'true' } }),
    ).toBe('verified');
    expect(await check(hs256(CLAIMS), { ...HS256, claims: { constructor: 'x' } })).toBe('binding');
  });

  it('is looked at for its signature before its claims', async () => {
    expect(await check(hs256({ aud: 'other', exp: 1 }, { alg: 'HS256' }, 'forged'))).toBe('mismatch');
  });

  it('binds body and URL by their hashes', async () => {
    const scheme: Scheme = {
      ...HS256,
      claims: {},
      bind: [
        { equals: 'claim:body', hash: 'sha256', encoding: 'hex' },
        { equals: 'claim:url', hash: 'sha256', encoding: 'base64', of: 'url' },
      ],
    };
    const body = createHash('sha256').update('{}').digest('hex');
    const url = createHash('sha256').update(`${URL_OF_SOURCE}`).digest('base64');
    const on = (claims: object, context: Partial<VerifyContext> = { publicUrl: URL_OF_SOURCE }) =>
      check(hs256({ exp: NOW + 9, body, url, ...claims }), scheme, context);
    expect(await on({})).toBe('verified');
    expect(await on({ body: body.toUpperCase() })).toBe('verified');
    for (const claims of [{ body: undefined }, { body: 'zz' }, { body: body.slice(2) }, { url: 'x' }])
      expect(await on(claims)).toBe('binding');
    expect(await on({}, {})).toBe('no_key');
  });
});

describe('fetched keys', () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const jwk = { ...createPublicKey(pair.privateKey).export({ format: 'jwk' }), kid: 'k1' } as Jwk;
  const scheme: Scheme = {
    ...HS256,
    jwtAlg: 'ES256',
    key: { provider: 'jwksUrl', from: 'https://keys.example.com/jwks' },
  };
  const es256 = (header: object) => {
    const text = `${encode({ alg: 'ES256', ...header })}.${encode(CLAIMS)}`;
    return `${text}.${sign('sha256', Buffer.from(text), { key: pair.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  };
  const serving = (fetchKey: KeyFetcher['fetchKey']): Partial<VerifyContext> => ({
    secret: undefined,
    keys: { fetchKey },
  });

  it('are asked for by the key id, at the address of the spec', async () => {
    const asked: unknown[] = [];
    const keys = serving((...parameters) => {
      asked.push(parameters.slice(0, 3));
      return Promise.resolve(jwk);
    });
    expect(await check(es256({ kid: 'k1', jku: 'https://evil.example.com', jwk: {} }), scheme, keys)).toBe('verified');
    expect(asked).toEqual([['jwksUrl', 'https://keys.example.com/jwks', 'k1']]);
  });

  it('fail closed', async () => {
    expect(
      await check(
        es256({}),
        scheme,
        serving(() => Promise.reject(new Error('down'))),
      ),
    ).toBe('key_fetch');
    expect(
      await check(
        es256({}),
        scheme,
        serving(() => Promise.resolve(undefined)),
      ),
    ).toBe('no_key');
    expect(await check(es256({}), scheme, { secret: undefined })).toBe('key_fetch');
    for (const key of [
      {},
      { kty: 'EC' },
      { ...jwk, crv: 'P-384' },
      'text',
      '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----',
    ]) {
      expect(['mismatch', 'no_key']).toContain(
        await check(
          es256({}),
          scheme,
          serving(() => Promise.resolve(key)),
        ),
      );
    }
  });

  it("of Plaid need the client's credentials and a sane key id", async () => {
    const plaid: Scheme = { ...scheme, claims: {}, key: { provider: 'plaid' } };
    const keys = { keys: { fetchKey: () => Promise.resolve(jwk) } };
    const settings = { clientId: 'c', environment: 'sandbox' };
    expect(await check(es256({ kid: 'k1' }), plaid, { ...keys, settings })).toBe('verified');
    expect(await check(es256({ kid: 'k1' }), plaid, { ...keys, settings: {} })).toBe('no_key');
    expect(
      await check(es256({ kid: 'k1' }), plaid, { ...keys, settings: { ...settings, environment: 'constructor' } }),
    ).toBe('no_key');
    expect(await check(es256({ kid: '../../x' }), plaid, { ...keys, settings })).toBe('malformed');
    expect(await check(es256({}), plaid, { ...keys, settings })).toBe('malformed');
  });
});

describe('Jira Connect', () => {
  const scheme: Scheme = {
    ...HS256,
    code: 'jira-connect',
    claims: { iss: 'config:clientKey' },
    sig: { from: ['header:authorization', 'query:jwt'], parse: { prefix: 'JWT ', prefixOptional: true } },
  };
  const spec: ProviderSpec = specWith(scheme);
  const settings = { clientKey: 'key', baseUrl: 'https://hooks.example.com/in' };
  const context = { settings, publicUrl: URL_OF_SOURCE };

  it('hashes method, path below the base URL, and the sorted query, as Atlassian writes it', async () => {
    const qsh = createHash('sha256').update('POST&/source&a=1,2&b%20c=%2A%7E'.replace('%7E', '~')).digest('hex');
    const token = hs256({ iss: 'key', iat: NOW, exp: NOW + 9, qsh });
    const request = requestWith('{}', {
      rawQuery: 'b%20c=*~&a=2&a=1&jwt=x',
      headers: { authorization: `JWT ${token}` },
    });
    expect(await outcome(spec, request, context)).toBe('verified');
    for (const change of [{ rawQuery: 'a=1' }, { method: 'GET' }]) {
      expect(await outcome(spec, { ...request, ...change }, context)).toBe('binding');
    }
    expect(await outcome(spec, request, { ...context, publicUrl: 'https://hooks.example.com/in/other' })).toBe(
      'binding',
    );
    expect(await outcome(spec, request, { settings })).toBe('no_key');
  });

  it('takes no token that is bound to nothing', async () => {
    for (const qsh of [undefined, 'context-qsh', '', 'zz']) {
      const token = hs256({ iss: 'key', iat: NOW, exp: NOW + 9, qsh });
      expect(await outcome(spec, requestWith('{}', { headers: { authorization: token } }), context)).not.toBe(
        'verified',
      );
    }
  });

  it('is signed by the helper in the same way', async () => {
    const request = signed(spec, '{}', { settings, publicUrl: URL_OF_SOURCE, rawQuery: 'z=1&y=a+b' });
    expect(await outcome(spec, request, context)).toBe('verified');
  });
});
