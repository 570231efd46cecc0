import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fetchCapped } from '#adapters/http/fetch-capped.ts';
import { CachedKeyFetcher } from '#adapters/http/key-fetcher.ts';
import { HOUR_MS } from '#core/time.ts';
import { UnknownKeyPlaceError } from '#core/unknown-key-place.ts';
import { certificate, type HttpsServer, startHttpsServer } from '#test/kit/servers/https-server.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const CERTIFICATE_URL = 'https://keys.example.com/certs/CERT-1.pem';
const JWKS_URL = 'https://keys.example.com/jwks';

interface Call {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly body: string;
}

let server: HttpsServer;
let calls: Call[] = [];
let answer: (call: Call) => { status: number; text?: string; headers?: Record<string, string>; hang?: boolean };
let now = NOW;
const clock = { now: () => now };

beforeAll(async () => {
  server = await startHttpsServer((request, response) => {
    let body = '';
    request.on('data', chunk => {
      body += chunk;
    });
    request.on('end', () => {
      const call = { method: request.method ?? '', host: request.headers.host ?? '', path: request.url ?? '', body };
      calls.push(call);
      const { status, text = '', headers = {}, hang = false } = answer(call);
      if (!hang) response.writeHead(status, headers).end(text);
    });
  });
});
afterAll(() => server.stop());

beforeEach(() => {
  calls = [];
  now = NOW;
  answer = () => ({ status: 200, text: certificate });
});

const newFetcher = (timeoutMs = 5_000) => new CachedKeyFetcher({ clock, agent: server.agent, timeoutMs });
const jwk = (kid: string, more: object = {}) => ({ kty: 'RSA', n: 'x', e: 'AQAB', kid, ...more });
const jwks = (...kids: string[]) => JSON.stringify({ keys: kids.map(kid => jwk(kid)) });

describe('a certificate by address', () => {
  it('is fetched once and kept for a day', async () => {
    const fetcher = newFetcher();
    expect(await fetcher.fetchKey('x509Url', CERTIFICATE_URL)).toBe(certificate);
    now += 23 * HOUR_MS;
    expect(await fetcher.fetchKey('x509Url', CERTIFICATE_URL)).toBe(certificate);
    expect(calls).toEqual([{ method: 'GET', host: 'keys.example.com', path: '/certs/CERT-1.pem', body: '' }]);
    now += 2 * HOUR_MS;
    await fetcher.fetchKey('x509Url', CERTIFICATE_URL);
    expect(calls).toHaveLength(2);
  });

  it('is shared by callers that ask at the same time', async () => {
    const fetcher = newFetcher();
    await Promise.all([1, 2, 3, 4].map(() => fetcher.fetchKey('x509Url', CERTIFICATE_URL)));
    expect(calls).toHaveLength(1);
  });

  it('serves for another day when its place is down, and no longer', async () => {
    const fetcher = newFetcher();
    await fetcher.fetchKey('x509Url', CERTIFICATE_URL);
    answer = () => ({ status: 503 });
    now += 25 * HOUR_MS;
    expect(await fetcher.fetchKey('x509Url', CERTIFICATE_URL)).toBe(certificate);
    now += 24 * HOUR_MS;
    await expect(fetcher.fetchKey('x509Url', CERTIFICATE_URL)).rejects.toThrow('answered 503');
  });

  it('is refused outside its dates, and when the answer is none', async () => {
    const ask = async (fetcher: CachedKeyFetcher) => fetcher.fetchKey('x509Url', CERTIFICATE_URL);
    const good = async () => {
      const fetcher = newFetcher();
      await fetcher.confirm('x509Url', CERTIFICATE_URL);
      return fetcher;
    };
    for (const year of ['2025', '2200']) {
      now = Date.parse(`${year}-01-01T00:00:00Z`);
      expect(await ask(newFetcher())).toBeUndefined();
      await expect(ask(await good())).rejects.toThrow('the certificate is valid from');
    }
    now = NOW;
    answer = () => ({ status: 200, text: '<html>' });
    expect(await ask(newFetcher())).toBeUndefined();
    await expect(ask(await good())).rejects.toThrow('neither a certificate');
  });

  it('may be a bare public key, and the first of a chain', async () => {
    const publicKey = '-----BEGIN PUBLIC KEY-----\nMFkwEw==\n-----END PUBLIC KEY-----';
    answer = () => ({ status: 200, text: `${publicKey}\n` });
    expect(await newFetcher().fetchKey('x509Url', CERTIFICATE_URL)).toBe(publicKey);
    answer = () => ({ status: 200, text: `${certificate}\n${certificate}` });
    expect(await newFetcher().fetchKey('x509Url', CERTIFICATE_URL)).toBe(certificate);
  });

  it('that failed is not asked for again at once', async () => {
    const fetcher = newFetcher();
    answer = () => ({ status: 503 });
    for (let i = 0; i < 5; i++) {
      await expect(fetcher.fetchKey('x509Url', CERTIFICATE_URL)).rejects.toThrow('answered 503');
    }
    expect(calls).toHaveLength(1);
    now += 31_000;
    answer = () => ({ status: 200, text: certificate });
    expect(await fetcher.fetchKey('x509Url', CERTIFICATE_URL)).toBe(certificate);
  });
});

describe('a certificate that only one request speaks of', () => {
  it.each([400, 403, 404, 410])('is no key where its address answers %i', async status => {
    answer = () => ({ status });
    const fetcher = newFetcher();
    for (let i = 0; i < 3; i++) expect(await fetcher.fetchKey('x509Url', CERTIFICATE_URL)).toBeUndefined();
    expect(calls).toHaveLength(1);
  });

  it.each([408, 429, 500, 503])('may be one where it answers %i: nobody is told that we failed', async status => {
    answer = () => ({ status });
    const asked = newFetcher().fetchKey('x509Url', CERTIFICATE_URL);
    await expect(asked).rejects.toThrow(UnknownKeyPlaceError);
  });

  it('is a failure of ours where it verified a request before', async () => {
    answer = () => ({ status: 404 });
    const fetcher = newFetcher();
    await fetcher.confirm('x509Url', CERTIFICATE_URL);
    const error = await fetcher.fetchKey('x509Url', CERTIFICATE_URL).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('answered 404');
    expect(error).not.toBeInstanceOf(UnknownKeyPlaceError);
  });

  it('is asked in a new process, too, once it verified a request: forged ones cannot use up its turn', async () => {
    const kept: string[] = [];
    const places = { load: async () => kept, add: async (place: string) => void kept.push(place) };
    const cold = () => new CachedKeyFetcher({ clock, agent: server.agent, timeoutMs: 5_000, places });
    const first = cold();
    await first.fetchKey('x509Url', CERTIFICATE_URL);
    await first.confirm('x509Url', CERTIFICATE_URL);
    const second = cold();
    answer = ({ path }) => (path.includes('forged') ? { status: 404 } : { status: 200, text: certificate });
    const forged = (n: number) => second.fetchKey('x509Url', `https://keys.example.com/certs/forged-${n}.pem`);
    for (let n = 0; n < 10; n++) expect(await forged(n)).toBeUndefined();
    await expect(forged(10)).rejects.toThrow('too many');
    expect(await second.fetchKey('x509Url', CERTIFICATE_URL)).toBe(certificate);
  });

  it('is asked although the known places cannot be read', async () => {
    const places = { load: () => Promise.reject(new Error('down')), add: () => new Promise<void>(() => undefined) };
    const fetcher = new CachedKeyFetcher({ clock, agent: server.agent, timeoutMs: 5_000, places });
    expect(await fetcher.fetchKey('x509Url', CERTIFICATE_URL)).toBe(certificate);
    await fetcher.confirm('x509Url', CERTIFICATE_URL);
  });
});

describe('limits of every call', () => {
  it('are the time', async () => {
    answer = () => ({ status: 200, hang: true });
    await expect(newFetcher(400).fetchKey('x509Url', CERTIFICATE_URL)).rejects.toThrow('no answer within 400 ms');
  });

  it('are the size of the answer', async () => {
    answer = () => ({ status: 200, text: 'x'.repeat(200 * 1_024) });
    await expect(newFetcher().fetchKey('x509Url', CERTIFICATE_URL)).rejects.toThrow('larger than 131072 bytes');
  });

  it('are redirects, which are not followed', async () => {
    answer = () => ({ status: 302, headers: { location: 'https://keys.example.com/other' } });
    expect(await newFetcher().fetchKey('x509Url', CERTIFICATE_URL)).toBeUndefined();
    expect(calls).toHaveLength(1);
  });

  it.each([
    'http://keys.example.com/a',
    'https://user@keys.example.com/a',
    'https://keys.example.com:8443/a',
    'https://127.0.0.1/a',
    'https://[::1]/a',
    'https://169.254.169.254/latest/meta-data',
    'https://2130706433/a',
    'https://localhost/a',
    'file:///etc/passwd',
    'not an address',
  ])('are addresses: %s is not asked', async url => {
    await expect(
      fetchCapped({ method: 'GET', url, timeoutMs: 400, maxBytes: 100, agent: server.agent }),
    ).rejects.toThrow('only https');
    expect(calls).toEqual([]);
  });

  it('are the names in the certificate of the server', async () => {
    await expect(newFetcher().fetchKey('x509Url', 'https://evil.example.com/a.pem')).rejects.toThrow(
      /altnames|certificate/i,
    );
    expect(calls).toEqual([]);
  });
});

describe('a key set', () => {
  it('gives the key of an id, and asks once more for an unknown one', async () => {
    const fetcher = newFetcher();
    answer = () => ({ status: 200, text: jwks('a', 'b') });
    expect(await fetcher.fetchKey('jwksUrl', JWKS_URL, 'b')).toEqual(jwk('b'));
    answer = () => ({ status: 200, text: jwks('a', 'b', 'c') });
    now += 60_000;
    expect(await fetcher.fetchKey('jwksUrl', JWKS_URL, 'c')).toEqual(jwk('c'));
    expect(calls).toHaveLength(2);
    for (let i = 0; i < 20; i++) expect(await fetcher.fetchKey('jwksUrl', JWKS_URL, `forged-${i}`)).toBeUndefined();
    expect(calls).toHaveLength(2);
    now += 31_000;
    answer = () => ({ status: 500 });
    expect(await fetcher.fetchKey('jwksUrl', JWKS_URL, 'forged')).toBeUndefined();
    expect(await fetcher.fetchKey('jwksUrl', JWKS_URL, 'a')).toEqual(jwk('a'));
  });

  it('needs an id where there are several keys, and leaves out keys for other uses', async () => {
    answer = () => ({ status: 200, text: jwks('a', 'b') });
    expect(await newFetcher().fetchKey('jwksUrl', JWKS_URL)).toBeUndefined();
    answer = () => ({
      status: 200,
      text: JSON.stringify({ keys: [jwk('a', { use: 'enc' }), jwk('b', { use: 'sig' }), 7] }),
    });
    const fetcher = newFetcher();
    expect(await fetcher.fetchKey('jwksUrl', JWKS_URL)).toEqual(jwk('b', { use: 'sig' }));
    expect(await fetcher.fetchKey('jwksUrl', JWKS_URL, 'a')).toBeUndefined();
  });

  it('that is none is an error', async () => {
    for (const text of ['[]', '{}', 'null', '{"keys":7}', '<']) {
      answer = () => ({ status: 200, text });
      await expect(newFetcher().fetchKey('jwksUrl', JWKS_URL, 'a')).rejects.toThrow();
    }
  });
});

describe("Plaid's keys", () => {
  const ask = (fetcher: CachedKeyFetcher, kid = 'k1') =>
    fetcher.fetchKey('plaid', 'https://sandbox.plaid.com', kid, 'client:secret:with-colon');

  it('are asked for by id, with the credentials, once', async () => {
    answer = () => ({ status: 200, text: JSON.stringify({ key: { ...jwk('k1'), expired_at: null } }) });
    const fetcher = newFetcher();
    expect(await ask(fetcher)).toMatchObject({ kid: 'k1' });
    expect(await ask(fetcher)).toMatchObject({ kid: 'k1' });
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({
      method: 'POST',
      host: 'sandbox.plaid.com',
      path: '/webhook_verification_key/get',
    });
    expect(JSON.parse(calls[0]?.body ?? '')).toEqual({
      client_id: 'client',
      secret: 'secret:with-colon',
      key_id: 'k1',
    });
  });

  it('are not used when they expired, are unknown, or have another id', async () => {
    answer = () => ({ status: 200, text: JSON.stringify({ key: { ...jwk('k1'), expired_at: 1_700_000_000 } }) });
    expect(await ask(newFetcher())).toBeUndefined();
    answer = () => ({ status: 400, text: '{"error_code":"INVALID_WEBHOOK_VERIFICATION_KEY_ID"}' });
    expect(await ask(newFetcher())).toBeUndefined();
    answer = () => ({ status: 200, text: JSON.stringify({ key: jwk('k2') }) });
    await expect(ask(newFetcher())).rejects.toThrow('without the key');
  });

  it('are asked for again soon when the credentials were refused, or the id was not known yet', async () => {
    const fetcher = newFetcher();
    answer = () => ({ status: 400, text: '{"error_type":"INVALID_INPUT","error_code":"INVALID_API_KEYS"}' });
    await expect(ask(fetcher)).rejects.toThrow('INVALID_API_KEYS');
    now += 31_000;
    answer = () => ({ status: 400, text: '{"error_code":"INVALID_WEBHOOK_VERIFICATION_KEY_ID"}' });
    for (let i = 0; i < 3; i++) expect(await ask(fetcher)).toBeUndefined();
    expect(calls).toHaveLength(2);
    now += 31_000;
    answer = () => ({ status: 200, text: JSON.stringify({ key: jwk('k1') }) });
    expect(await ask(fetcher)).toMatchObject({ kid: 'k1' });
    // An id that expires is not used any more.
    now += 25 * HOUR_MS;
    answer = () => ({ status: 200, text: JSON.stringify({ key: { ...jwk('k1'), expired_at: 1_790_000_000 } }) });
    expect(await ask(fetcher)).toBeUndefined();
    expect(await ask(fetcher)).toBeUndefined();
  });

  it('are asked for ten times in half a minute, however many ids forged tokens name', async () => {
    const fetcher = newFetcher();
    answer = () => ({ status: 200, text: JSON.stringify({ key: jwk('k1') }) });
    await ask(fetcher);
    answer = () => ({ status: 400, text: '{"error_code":"INVALID_WEBHOOK_VERIFICATION_KEY_ID"}' });
    for (let i = 0; i < 250; i++) {
      if (i === 125) now += 31_000;
      await ask(fetcher, `forged-${i}`).catch((error: unknown) => expect(String(error)).toContain('too many'));
      expect(await ask(fetcher)).toMatchObject({ kid: 'k1' });
    }
    expect(calls).toHaveLength(20);
    // Another provider's place is not theirs to block.
    answer = () => ({ status: 200, text: certificate });
    expect(await fetcher.fetchKey('x509Url', CERTIFICATE_URL)).toBe(certificate);
  });

  it('fail without naming the credentials', async () => {
    answer = () => ({ status: 500 });
    const error = await ask(newFetcher()).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('answered 500');
    expect(String(error)).not.toContain('secret');
  });
});
