import { createHmac, generateKeyPairSync } from 'node:crypto';
import { signWebhook } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import type { ProviderSpec, Scheme } from '#core/provider/provider-spec.ts';
import { schemeId } from '#core/provider/spec-defaults.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { PROVIDERS } from '#providers/index.ts';

const AT = 1_790_000_000_000;
const URL_OF_SOURCE = 'https://hooks.example.com/webhooks/mine?tenant=7';

/** Schemes a secret text is enough for. */
const symmetric = Object.values(PROVIDERS).flatMap(spec =>
  spec.verify
    .filter(({ alg, jwtAlg }) => /^(?:hmac|digest|token|basic)/.test(alg) || jwtAlg === 'HS256')
    .map(scheme => [`${spec.id} / ${scheme.id}`, spec, scheme] as const),
);

function secretOf({ alg, key }: Scheme): string {
  if (alg === 'basic') return 'user:pass:word';
  if (key?.encoding === 'hex') return 'ab12'.repeat(16);
  return `${key?.strip?.at(-1) ?? ''}c2VjcmV0LW9mLXRoZS1zb3VyY2UtMTIzNDU2Nzg=`;
}

function settingsOf(spec: ProviderSpec): Record<string, string> {
  const settings = Object.fromEntries(Object.keys(spec.settings ?? {}).map(name => [name, `${name}-value`]));
  if (spec.settings?.['baseUrl']) settings['baseUrl'] = 'https://hooks.example.com/webhooks';
  return settings;
}

/** A body of one item, where the provider's requests carry several. */
function bodyOf(spec: ProviderSpec): Record<string, unknown> | unknown[] {
  const [path] = [spec.identity.items ?? ''].flat();
  const event = { id: 'evt_1', type: 'thing.done' };
  if (path === '' || path === undefined) return event;
  return path.split('.').reduceRight<Record<string, unknown> | unknown[]>((inner, step) => {
    const name = step.replace('[]', '');
    const value = step.endsWith('[]') ? [inner] : inner;
    return name === '' ? (value as unknown[]) : { [name === '*' ? 'some_events' : name]: value };
  }, event);
}

describe.each(symmetric)('%s', (_name, spec, scheme) => {
  const settings = settingsOf(spec);
  const secret = secretOf(scheme);
  const sign = (signedWith: string) =>
    signWebhook({
      provider: spec.id,
      scheme: schemeId(scheme, spec),
      body: bodyOf(spec),
      secret: signedWith,
      url: URL_OF_SOURCE,
      settings,
      at: AT,
    });
  const verify = ({ method, url, headers, body }: ReturnType<typeof signWebhook>) => {
    const [publicUrl = '', rawQuery = ''] = (url ?? '').split('?');
    const request = { method, rawQuery, headers, body, sourceIp: '192.0.2.1' };
    const context = { secret: { current: secret }, nowMs: AT, publicUrl, settings, crypto: nodeCrypto };
    return verifyRequest({ ...spec, verify: [scheme] }, request, context);
  };

  it('is signed so that the gateway accepts it, and refuses it with another secret', async () => {
    expect(await verify(sign(secret))).toMatchObject({ kind: 'verified' });
    const other = scheme.key?.encoding === 'hex' ? 'cd34'.repeat(16) : `${secret.slice(0, -8)}xxxxxxx=`;
    expect(await verify(sign(other))).toMatchObject({ kind: 'refused' });
  });
});

describe('signWebhook', () => {
  it('gives what fetch takes', () => {
    const signed = signWebhook({
      provider: 'github',
      body: { zen: 'ok' },
      secret: 's',
      headers: { 'X-GitHub-Event': 'ping' },
    });
    const mac = createHmac('sha256', 's').update('{"zen":"ok"}').digest('hex');
    expect(signed).toEqual({
      method: 'POST',
      url: undefined,
      headers: {
        'content-type': 'application/json',
        'x-github-event': 'ping',
        'x-hub-signature-256': `sha256=${mac}`,
      },
      body: new TextEncoder().encode('{"zen":"ok"}'),
    });
    expect(new Request('https://example.com/', signed).headers.get('x-github-event')).toBe('ping');
  });

  it('keeps the bytes it is given, whatever they are', () => {
    const bytes = Uint8Array.from([0xff, 0x00, 0xfe]);
    expect(signWebhook({ provider: 'github', body: bytes, secret: 's' }).body).toBe(bytes);
    expect(signWebhook({ provider: 'github', body: '$& {', secret: 's' }).body).toEqual(
      new TextEncoder().encode('$& {'),
    );
  });

  it('signs form fields and the URL, query included', () => {
    const form = new URLSearchParams({ MessageSid: 'SM1', Body: 'a b' });
    const url = 'https://hooks.example.com/webhooks/twilio?x=1';
    const signed = signWebhook({ provider: 'twilio', body: form, secret: 'token', url });
    const mac = createHmac('sha1', 'token').update(`${url}Bodya bMessageSidSM1`).digest('base64');
    expect(signed.headers['x-twilio-signature']).toBe(mac);
    expect(signed.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(signed.url).toBe(url);
    const json = signWebhook({ provider: 'twilio', scheme: 'twilio-json', body: {}, secret: 'token', url });
    expect(json.url).toMatch(/\?x=1&bodySHA256=[0-9a-f]{64}$/);
  });

  it('signs with a private key where the provider does', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
    const current = Buffer.from((publicKey.export({ format: 'jwk' }) as { x: string }).x, 'base64url').toString('hex');
    const spec = PROVIDERS['discord-interactions'] as ProviderSpec;
    for (const key of [privateKey, pem]) {
      const { headers, body } = signWebhook({
        provider: spec,
        body: { type: 2, id: '1' },
        privateKey: key,
        at: new Date(AT),
      });
      const request = { method: 'POST', rawQuery: '', headers, body, sourceIp: '192.0.2.1' };
      const context = { secret: { current }, nowMs: AT, settings: {}, crypto: nodeCrypto };
      expect(await verifyRequest(spec, request, context)).toMatchObject({ kind: 'verified' });
    }
  });

  it('says what is missing', () => {
    const body = { id: '1' };
    expect(() => signWebhook({ provider: 'strip', body })).toThrow(/Did you mean stripe\?/);
    expect(() => signWebhook({ provider: 'stripe', body })).toThrow(/the secret is empty/);
    expect(() => signWebhook({ provider: 'square', body, secret: 's' })).toThrow(/public_url_not_configured/);
    expect(() => signWebhook({ provider: 'stripe', body, secret: 's', scheme: 'v9' })).toThrow(/has no scheme "v9"/);
    expect(() => signWebhook({ provider: 'discord-interactions', body })).toThrow(/private key/);
  });
});
