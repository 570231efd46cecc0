import { describe, expect, it } from 'vitest';
import type { Handshake, ProviderSpec, Scheme } from '#core/provider/provider-spec.ts';
import { checkSpec, usableSecret } from '#core/verification/check-spec.ts';
import { HMAC, specWith, TIMED } from './test-spec.ts';

const problemsOf = (spec: ProviderSpec) => checkSpec(spec).join('\n');
const withScheme = (change: Partial<Scheme>) => problemsOf(specWith({ ...HMAC, ...change }));
const withHandshake = (handshake: Handshake) =>
  problemsOf(specWith(HMAC, { handshakes: [handshake], methods: ['POST', 'GET'] }));

describe('a spec', () => {
  it('that holds has no problems', () => {
    expect(checkSpec(specWith(HMAC))).toEqual([]);
    expect(checkSpec(specWith(TIMED))).toEqual([]);
  });

  it('may not have a window over an unsigned time', () => {
    const time = { from: 'header:x-time', unit: 's', past: 300, future: 300, signed: true } as const;
    expect(withScheme({ time })).toContain('a window over header:x-time, which is not part of the signed bytes');
    expect(withScheme({ time, message: '{header:x-time}{body}' })).toBe('');
    expect(withScheme({ time, message: '{ts}.{body}' })).toBe('');
    expect(withScheme({ time: { ...time, from: 'json:at' } })).toBe('');
    expect(withScheme({ time: { ...time, from: 'json:at' }, message: '{json:id}' })).toContain('a window over json:at');
    const signedHeaders = { from: 'header:x-list', sep: ',', item: '{name}:{value}', join: ';' } as const;
    expect(withScheme({ time, signedHeaders, message: '{signedHeaders}{body}' })).toBe('');
  });

  it('may not have a window that clock skew breaks', () => {
    const time = { from: 'header:x-time', unit: 's', past: 5, future: 300, signed: true } as const;
    expect(withScheme({ time, message: '{ts}.{body}' })).toContain('time.past is 5 s');
  });

  it('may have a token without a time only where it is bound to the body', () => {
    const token = { alg: 'jwt', jwtAlg: 'HS256', timeless: true } as const;
    const bind = [{ equals: 'claim:hash', hash: 'sha256', encoding: 'hex' }] as const;
    expect(withScheme({ ...token, bind })).toBe('');
    expect(withScheme({ ...token, claims: { data: 'x' }, sig: { from: 'json:payload' } })).toBe('');
    expect(withScheme({ ...token, claims: { iss: 'x' } })).toContain('could be sent with any other');
    const ofUrl = [{ equals: 'claim:url', hash: 'sha256', encoding: 'hex', of: 'url' }] as const;
    expect(withScheme({ ...token, bind: ofUrl })).toContain('could be sent with any other');
  });

  it('may trust certificates in a token only with a pinned root', () => {
    const token = { alg: 'jwt', jwtAlg: 'ES256', claims: { aud: 'x' } } as const;
    const roots = ['0'.repeat(64)];
    expect(withScheme({ ...token, key: { provider: 'x5c', chain: { roots } } })).toBe('');
    expect(withScheme({ ...token, key: { provider: 'x5c' } })).toContain('must pin at least one root');
    expect(withScheme({ ...token, key: { provider: 'x5c', chain: { roots: [] } } })).toContain('must pin');
    expect(withScheme({ ...token, key: { provider: 'x5c', chain: { roots: ['AB'] } } })).toContain('must pin');
    expect(withScheme({ ...token, jwtAlg: 'HS256', key: { provider: 'x5c', chain: { roots } } })).toContain(
      'x5c is for',
    );
  });

  it('may not keep a query in which a secret stands', () => {
    const identity = { key: [['query:id']], type: [] } as const;
    expect(problemsOf(specWith(HMAC, { identity }))).toBe('');
    const token = { id: 't', alg: 'token', sig: { from: 'query:token' } } as const;
    expect(problemsOf(specWith(token, { identity, strength: 'shared-secret' }))).toContain('must not be in it');
  });

  it('may not sign text of the caller without a guard', () => {
    const handshake: Handshake = {
      when: { method: 'GET', query: { crc: '*' } },
      verify: 'none',
      respond: { status: 200, body: '{hmac(sha256,hex,query:crc)}' },
    };
    expect(withHandshake(handshake)).toContain('a guard on it is mandatory');
    expect(withHandshake({ ...handshake, guard: { src: 'query:other', accept: 'a' } })).toContain(
      'a guard on it is mandatory',
    );
    expect(withHandshake({ ...handshake, guard: { src: 'query:crc', accept: '[a-z]+' } })).toBe('');
    expect(withHandshake({ ...handshake, guard: { src: 'query:crc', accept: '[' } })).toContain(
      'is not a regular expression',
    );
  });

  it('may not answer every event, or use what it does not have', () => {
    expect(withHandshake({ when: { method: 'POST' }, verify: 'none', respond: { status: 200 } })).toContain(
      'it would answer every event',
    );
    expect(withHandshake({ when: { method: 'HEAD' }, verify: 'none', respond: { status: 200 } })).toContain(
      'method HEAD is not in methods',
    );
    expect(
      withHandshake({ when: { method: 'GET' }, verify: 'none', respond: { status: 200, body: '{eval(x)}' } }),
    ).toContain('unknown function eval()');
    const unsigned = specWith([], {
      strength: 'none',
      handshakes: [{ when: { method: 'POST', jsonMissing: ['a'] }, verify: 'signature', respond: { status: 200 } }],
    });
    expect(problemsOf(unsigned)).toContain('the provider signs nothing');
  });

  it('says what it signs, how, and with what', () => {
    const { message: _m, encoding: _e, ...bare } = HMAC;
    expect(problemsOf(specWith(bare))).toMatch(/message is missing[\s\S]*encoding is missing/);
    expect(withScheme({ message: '{bodyy}' })).toContain('unknown token {bodyy}');
    expect(withScheme({ message: '{header:X-Id}{body}' })).toContain('header names are lower-case: "X-Id"');
    expect(withScheme({ message: '{config:id}{body}' })).toContain('setting "id" is used but not described');
    expect(withScheme({ alg: 'digest-sha256' })).toContain('must have {secret}');
    expect(withScheme({ message: '{signedHeaders}' })).toContain('signedHeaders is missing');
    expect(withScheme({ message: '{json:a}:{json:b?}', separated: { by: ':', except: 'json:b?' } })).toBe('');
    expect(withScheme({ message: '{json:a}:{json:b?}', separated: { by: ':', except: 'json:b' } })).toContain(
      'separated.except is no value of message',
    );
    expect(withScheme({ sig: { from: 'header:x-other' } })).toContain('signatureHeaders lacks "x-other"');
    expect(withScheme({ bind: [{ equals: 'header:x-hash', hash: 'sha256', encoding: 'hex' }] })).toContain(
      'not part of the signed text',
    );
    const token = { alg: 'jwt', jwtAlg: 'HS256', claims: { iss: 'a' } } as const;
    expect(withScheme({ ...token, leewaySeconds: 30 })).toBe('');
    expect(withScheme({ ...token, leewaySeconds: 1 })).toContain('clock skew needs at least 30');
    expect(withScheme({ claims: { a: 'b' }, message: '{json:id}' })).toContain('claims of a body that is not signed');
    expect(withScheme({ batch: 'items[]' })).toContain('batch and identity.items must be the same');
  });

  it('pins tokens and fetched keys', () => {
    const token: Scheme = { id: 'test', alg: 'jwt', sig: { from: 'header:x-signature' } };
    expect(problemsOf(specWith(token))).toMatch(/jwtAlg is missing[\s\S]*bound to nothing/);
    expect(withScheme({ alg: 'rsa-sha256', key: { provider: 'x509Url', from: 'header:x-url' } })).toContain(
      'all are needed',
    );
    expect(
      problemsOf(
        specWith({
          ...token,
          jwtAlg: 'RS256',
          claims: { aud: 'url' },
          key: { provider: 'jwksUrl', from: 'http://a.example.com' },
        }),
      ),
    ).toContain('an https address or a setting');
  });

  it('is plain data with a strength that fits', () => {
    expect(problemsOf(specWith([]))).toContain('needs at least one scheme');
    expect(problemsOf(specWith(HMAC, { strength: 'none' }))).toContain('strength "none" with a scheme');
    expect(problemsOf(specWith([HMAC, HMAC]))).toContain('two schemes have the same id');
    expect(problemsOf(specWith(HMAC, { checkedOn: 'today' }))).toContain('checkedOn');
    expect(problemsOf(specWith(HMAC, { retries: /x/ as unknown as string }))).toContain('a spec is JSON');
    expect(problemsOf(specWith(HMAC, { identity: { key: [], type: [] } }))).toContain(
      'identity.key has no alternative',
    );
    expect(problemsOf(specWith(HMAC, { identity: { key: [['claim:iat']], type: [] } }))).toContain(
      'no scheme is a jwt',
    );
    const gaveUp = { status: 200, rejectStatus: 403, givesUpOn403: true, deadlineMs: 1 } as const;
    expect(problemsOf(specWith(HMAC, { ack: gaveUp }))).toMatch(/rejectStatus is 403, after which it gives up/);
    expect(problemsOf(specWith(HMAC, { ack: { status: 302, rejectStatus: 401, deadlineMs: 0 } }))).toMatch(
      /ack.status[\s\S]*deadlineMs/,
    );
    expect(checkSpec(specWith([]))[0]).toMatch(/^provider "test": /);
  });
});

describe('a secret', () => {
  const hmac = specWith(HMAC);
  const base64 = specWith({ ...HMAC, key: { encoding: 'base64', strip: ['whsec_'] } });
  const ed25519 = specWith({ ...HMAC, alg: 'ed25519', key: { encoding: 'base64', strip: ['whpk_'] } });
  const basic = specWith({ id: 'test', alg: 'basic', sig: { from: 'header:x-signature' } });

  it('is usable when its scheme can use it', () => {
    expect(usableSecret('anything', hmac)).toBeUndefined();
    expect(usableSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', base64)).toBeUndefined();
    expect(usableSecret('whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=', ed25519)).toBeUndefined();
    expect(usableSecret('user:pa:ss', basic)).toBeUndefined();
    expect(usableSecret('a', specWith([], { strength: 'none' }))).toBeUndefined();
  });

  it.each([
    ['', hmac, 'empty'],
    ['s3cr3t-text\n', hmac, 'white space'],
    [' s3cr3t-text', hmac, 'white space'],
    ['whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=', hmac, 'public key'],
    ['whsk_abc', ed25519, 'private key'],
    ['-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----', ed25519, 'private key'],
    ['whsec_', base64, 'empty'],
    ['whsec_not base64', base64, 'not base64'],
    ['whpk_AAAA', ed25519, '32 bytes'],
    ['not a key!', ed25519, 'not a public key'],
    ['no-colon', basic, 'user:password'],
  ])('%j is refused in words', (secret, spec, words) => {
    const problem = usableSecret(secret, spec);
    expect(problem).toContain(words);
    if (secret.trim().length > 5 && !secret.startsWith('wh')) expect(problem).not.toContain(secret.trim());
  });

  it('of a provider with alternatives is usable when one of them can use it', () => {
    const either = specWith([
      { ...HMAC, id: 'a', key: { encoding: 'hex' } },
      { ...HMAC, id: 'b' },
    ]);
    expect(usableSecret('not hex', either)).toBeUndefined();
  });
});
