import { createPrivateKey, type KeyObject, sign as signWith } from 'node:crypto';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { given } from '#core/given.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { signRequest } from '#core/verification/sign-request.ts';
import { providerById } from '#providers/index.ts';
import { encodeBody, lowerCased, type WebhookBody } from './webhook-body.ts';

/** What to sign, and with what. `provider`, `body` and either `secret` or `privateKey` are required. */
export interface SignWebhookInput {
  /** The id of a file in providers/, or a spec of your own. */
  readonly provider: string | ProviderSpec;
  readonly body: WebhookBody;
  /** The secret as it is stored in Secrets Manager; `user:password` for Basic. Leave it out with `privateKey`. */
  readonly secret?: string;
  /** For providers that sign with a private key: the key or its PEM text. The source's secret is then the public key. */
  readonly privateKey?: KeyObject | string;
  /** The URL that the provider knows, with its query. Providers that sign the URL need it (Twilio, Square, HubSpot, …). */
  readonly url?: string;
  /** @default 'POST' */
  readonly method?: string;
  /** More headers, such as the provider's event id and type. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** The source's settings, if the provider's spec asks for some. @default none */
  readonly settings?: Readonly<Record<string, string>>;
  /** The time of the signature, as a date or in epoch milliseconds. @default now */
  readonly at?: Date | number;
  /** The id of one of the provider's ways to sign. @default the first */
  readonly scheme?: string;
}

/** A signed request, ready for `fetch(url, signed)`. */
export interface SignedWebhook {
  readonly method: string;
  /** The given URL, with whatever signing added to its query; undefined if none was given. */
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes to send. They differ from those given if the provider puts its signature into the body. */
  readonly body: Uint8Array;
}

/**
 * Signs a request as its provider would. Throws RangeError for an unknown provider or scheme, and if the scheme needs
 * something that is missing (secret, private key, URL, setting).
 * @example
 * const signed = signWebhook({ provider: 'stripe', body: { id: 'evt_1' }, secret: 'whsec_throwaway' });
 * await fetch('https://hooks.example.com/webhooks/stripe', signed as RequestInit);
 */
export function signWebhook(input: SignWebhookInput): SignedWebhook {
  const { provider, url, method = 'POST', at = Date.now(), privateKey, settings, scheme } = input;
  const spec = typeof provider === 'string' ? providerById(provider) : provider;
  const { bytes, contentType } = encodeBody(input.body);
  const [publicUrl, rawQuery] = url === undefined ? [] : splitOnce(url, '?');
  const signed = signRequest(spec, {
    body: bytes,
    secret: input.secret ?? '',
    nowMs: Number(at),
    method,
    headers: { 'content-type': contentType, ...lowerCased(input.headers ?? {}) },
    crypto: nodeCrypto,
    ...given({ publicUrl, rawQuery, settings, scheme }),
    ...(privateKey === undefined ? {} : { sign: signer(privateKey) }),
  });
  const query = signed.rawQuery === undefined ? '' : `?${signed.rawQuery}`;
  return {
    method,
    url: publicUrl === undefined ? undefined : `${publicUrl}${query}`,
    headers: signed.headers,
    body: signed.body ?? bytes,
  };
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function signer(privateKey: KeyObject | string): (message: Uint8Array, algorithm: string) => Uint8Array {
  const key = typeof privateKey === 'string' ? createPrivateKey(privateKey) : privateKey;
  return (message, algorithm) => {
    if (algorithm === 'ed25519') return signWith(null, message, key);
    if (algorithm === 'ES256') return signWith('sha256', message, { key, dsaEncoding: 'ieee-p1363' });
    return signWith(algorithm === 'rsa-sha1' ? 'sha1' : 'sha256', message, key);
  };
}
