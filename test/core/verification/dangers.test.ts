import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import type { Jwk } from '#core/ports.ts';
import type { Handshake, Scheme } from '#core/provider/provider-spec.ts';
import { utf8 } from '#core/scan/bytes.ts';
import { answerHandshake } from '#core/verification/handshake.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { contextWith, HMAC, NOW_MS, outcome, requestWith, signed, specWith } from './test-spec.ts';

describe('the answer to a challenge, sent back as a body', () => {
  const scheme: Scheme = { ...HMAC, guard: { rejectMessage: '^[a-f0-9]{20,32}$' } };
  const challenge: Handshake = {
    when: { method: 'GET', query: { challenge: '*' } },
    verify: 'none',
    guard: { src: 'query:challenge', accept: '[a-f0-9]{20,32}' },
    respond: { status: 200, body: '{hmac(sha256,hex,query:challenge)}' },
  };
  const spec = specWith(scheme, { handshakes: [challenge], methods: ['GET', 'POST'] });

  it('is refused, though its signature is good', async () => {
    const text = '20f9f8ed05f77439fe955c977e4c8a53';
    const get = requestWith('', { method: 'GET', rawQuery: `challenge=${text}` });
    const answer = await answerHandshake(spec, get, contextWith(), verifyRequest);
    const body = requestWith(text, { headers: { 'x-signature': answer?.body ?? '' } });
    expect(await outcome(specWith(HMAC), body)).toBe('verified');
    expect(await outcome(spec, body)).toBe('binding');
  });

  it('is all the guard refuses', async () => {
    expect(await outcome(spec, signed(spec, '{"id":"20f9f8ed05f77439fe955c977e4c8a53"}'))).toBe('verified');
    expect(await outcome(spec, signed(spec, 'a'.repeat(10_000)))).toBe('verified');
  });
});

describe('a certificate whose address the request names', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const scheme: Scheme = {
    ...HMAC,
    alg: 'rsa-sha256',
    encoding: 'base64',
    key: {
      provider: 'x509Url',
      from: 'header:x-cert-url',
      hosts: 'api(?:\\.sandbox)?\\.example\\.com',
      paths: '/certs/CERT-[A-Za-z0-9]+',
    },
  };
  const asked: string[] = [];
  const keys = {
    fetchKey: (_kind: string, locator: string) => {
      asked.push(locator);
      return Promise.resolve(publicKey.export({ format: 'jwk' }) as Jwk);
    },
  };
  const check = (url: string | undefined, on: Scheme = scheme) => {
    asked.length = 0;
    const headers = url === undefined ? {} : { 'x-cert-url': url };
    const request = signed(specWith(on), '{}', { headers, sign: message => sign('sha256', message, privateKey) });
    return outcome(specWith(on), request, { keys, secret: undefined });
  };

  it('is fetched from the pinned hosts and paths', async () => {
    for (const url of ['https://api.example.com/certs/CERT-1', 'https://api.sandbox.example.com/certs/CERT-a9']) {
      expect(await check(url)).toBe('verified');
      expect(asked).toEqual([url]);
    }
    expect(await check(undefined)).toBe('missing');
  });

  it.each([
    'https://evil.com/certs/CERT-1',
    'https://api.example.com.evil.com/certs/CERT-1',
    'https://evil.com/api.example.com/certs/CERT-1',
    'https://apixexample.com/certs/CERT-1',
    'https://api.example.com@evil.com/certs/CERT-1',
    'https://api.example.com:444/certs/CERT-1',
    'https://api.example.com/certs/CERT-1?x=1',
    'https://api.example.com/certs/CERT-1#x',
    'https://api.example.com/x/../certs/CERT-1',
    'https://api.example.com/certs/CERT-1/../../x',
    'https://api.example.com/certs/CERT-1\n',
    'https://API.example.com/certs/CERT-1',
    'http://api.example.com/certs/CERT-1',
    'file:///certs/CERT-1',
    '//api.example.com/certs/CERT-1',
    'x',
  ])('is not fetched from %j', async url => {
    expect(await check(url)).toBe('binding');
    expect(asked).toEqual([]);
  });

  it('may be named by a path below a fixed host', async () => {
    const { from: _from, ...key } = scheme.key ?? {};
    const below: Scheme = { ...scheme, key: { ...key, from: 'https://api.example.com{header:x-cert-url}' } };
    expect(await check('/certs/CERT-1', below)).toBe('verified');
    for (const path of ['.evil.com/certs/CERT-1', '@evil.com/certs/CERT-1', ':444/certs/CERT-1', '/other/CERT-1', '']) {
      expect(await check(path, below)).toBe('binding');
    }
    expect(await check(undefined, below)).toBe('missing');
  });
});

describe('a list of signed headers', () => {
  const scheme: Scheme = {
    ...HMAC,
    message: '{signedHeaders}\n{body}',
    signedHeaders: { from: 'header:x-signed', sep: ',', item: '{name}:{value}', join: ';' },
    time: { from: 'header:x-time', unit: 'ms', past: 300, future: 300, signed: true },
  };
  const check = (text: string, headers: Record<string, string>) => {
    const signature = Buffer.from(nodeCrypto.hmac('sha256', utf8('secret'), utf8(text))).toString('hex');
    return outcome(specWith(scheme), requestWith('{}', { headers: { ...headers, 'x-signature': signature } }));
  };
  const time = String(NOW_MS);

  it('must hold the time, or the time could be anything', async () => {
    const all = { 'x-a': '$&', 'x-time': time };
    expect(await check(`x-a:$&;x-time:${time}\n{}`, { ...all, 'x-signed': 'x-a,x-time' })).toBe('verified');
    expect(await check(`x-a:$&;x-time:${time}\n{}`, { ...all, 'x-signed': 'X-A, X-Time' })).toBe('verified');
    expect(await check('x-a:$&\n{}', { ...all, 'x-signed': 'x-a' })).toBe('binding');
    expect(await check('\n{}', { ...all, 'x-signed': '' })).toBe('binding');
    expect(await check('x\n{}', all)).toBe('missing');
    expect(await check('x\n{}', { 'x-time': time, 'x-signed': 'x-time,x-a' })).toBe('missing');
    expect(await check('x\n{}', { ...all, 'x-signed': Array(40).fill('x-time').join(',') })).toBe('malformed');
  });
});

describe('values joined by a separator', () => {
  const scheme: Scheme = {
    ...HMAC,
    sig: { from: 'json:mac' },
    message: '{json:id}:{json:account?}:{json:reference?}:{json:amount?}',
    separated: { by: ':', except: 'json:reference?' },
  };
  const spec = specWith(scheme);
  const check = (change: object, of = good) => {
    const body = { ...JSON.parse(Buffer.from(of.body).toString()), ...change };
    return outcome(spec, requestWith(JSON.stringify(body)));
  };
  const good = signed(spec, '{"id":"p1","account":"shop","reference":"order:5","amount":100}');

  it('do not hold it, save the one that may', async () => {
    expect(await check({})).toBe('verified');
    expect(await check({ id: 'p1:shop', account: 'order', reference: '5' })).toBe('malformed');
    expect(await check({ account: 'shop:order', reference: '5' })).toBe('malformed');
    expect(await check({ reference: 'order', amount: '5:100' })).toBe('malformed');
    const bare = signed(spec, '{"id":"p1","reference":"::","amount":100}');
    expect(await check({}, bare)).toBe('verified');
    expect(await check({ account: ':', reference: ':' }, bare)).toBe('malformed');
  });
});
