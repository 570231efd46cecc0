import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { httpsGet } from '#adapters/http/https-get.ts';
import { DependencyError } from '#core/errors.ts';
import { given } from '#core/given.ts';
import { livedTime } from '#test/kit/lived-time.ts';
import { type HttpsServer, startHttpsServer } from '#test/kit/servers/https-server.ts';

let server: HttpsServer;
let calls: { method: string | undefined; host: string | undefined; url: string | undefined; headers: object }[] = [];
let answer: { status: number; text?: string; headers?: Record<string, string>; hang?: boolean };

beforeAll(async () => {
  server = await startHttpsServer((request, response) => {
    const { method, headers, url } = request;
    calls.push({ method, host: headers.host, url, headers });
    if (!answer.hang) response.writeHead(answer.status, answer.headers ?? {}).end(answer.text ?? '');
  });
});
afterAll(() => server.stop());
beforeEach(() => {
  calls = [];
  answer = { status: 200 };
});

const get = (url: string, timeoutMs?: number) => httpsGet({ agent: server.agent, ...given({ timeoutMs }) }).get(url);

describe('the call that confirms a subscription', () => {
  it('is a GET with nothing of ours in it, and answers the status', async () => {
    expect(await get('https://keys.example.com/?Action=ConfirmSubscription&Token=a%20b')).toBe(200);
    expect(calls).toEqual([
      {
        method: 'GET',
        host: 'keys.example.com',
        url: '/?Action=ConfirmSubscription&Token=a%20b',
        headers: expect.not.objectContaining({ authorization: expect.anything(), cookie: expect.anything() }),
      },
    ]);
  });

  it('does not follow a redirect', async () => {
    answer = { status: 302, headers: { location: 'https://keys.example.com/elsewhere' } };
    expect(await get('https://keys.example.com/')).toBe(302);
    expect(calls).toHaveLength(1);
  });

  it('gives up in time, also on an answer that never ends', async () => {
    answer = { status: 200, hang: true };
    const lived = livedTime();
    await expect(get('https://keys.example.com/', 200)).rejects.toThrow(DependencyError);
    expect(lived()).toBeLessThan(1_500);
  });

  it('stops reading an answer that is too large', async () => {
    answer = { status: 200, text: 'x'.repeat(1_000_000) };
    await expect(get('https://keys.example.com/')).rejects.toThrow(/larger than 65536 bytes/);
  });

  it.each([
    'http://keys.example.com/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://localhost/',
    'https://keys.example.com:8443/',
    'https://user:pass@keys.example.com/',
    'file:///etc/passwd',
    'not an address',
  ])('is not made to %s', async url => {
    await expect(get(url)).rejects.toThrow(DependencyError);
    expect(calls).toEqual([]);
  });

  it('is not made to a host whose certificate is for another name', async () => {
    await expect(get('https://sns.eu-central-1.amazonaws.com/')).rejects.toThrow(DependencyError);
    expect(calls).toEqual([]);
  });
});
