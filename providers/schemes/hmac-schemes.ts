/** Ways to sign that many providers share. */
import type { ProviderSpec } from 'holdfast';

type Scheme = ProviderSpec['verify'][number];

interface BodyHmac {
  /** @default 'hmac-sha256' */
  readonly alg?: 'hmac-sha1' | 'hmac-sha256' | 'hmac-sha512';
  /** How the header holds the signature. @default it holds nothing else */
  readonly parse?: Scheme['sig']['parse'];
}

/** An HMAC over the body alone, in a header. */
export function bodyHmac(
  header: string,
  encoding: 'hex' | 'base64',
  { alg = 'hmac-sha256', parse }: BodyHmac = {},
): Scheme {
  return { alg, sig: { from: `header:${header}`, ...(parse && { parse }) }, encoding, message: '{body}' };
}

interface TimedHmac extends Partial<Omit<NonNullable<Scheme['time']>, 'from' | 'signed'>> {
  /** Of the signature in the header. @default 'v1' */
  readonly key?: string;
  /** Of the time in the header. @default 't' */
  readonly timeKey?: string;
  /** @default 'hex' */
  readonly encoding?: Scheme['encoding'];
}

/** An HMAC over `time.body`, beside its time in one header, as in `t=…,v1=…` of Stripe. Five minutes on both sides. */
export function timedHmac(
  header: string,
  { key = 'v1', timeKey = 't', encoding = 'hex', unit = 's', past = 300, future = 300 }: TimedHmac = {},
): Scheme {
  return {
    alg: 'hmac-sha256',
    sig: { from: `header:${header}`, parse: { item: ',', kv: '=', key, single: [timeKey] } },
    encoding,
    message: '{ts}.{body}',
    time: { from: `sig:${timeKey}`, unit, past, future, signed: true },
  };
}

/**
 * The signature of Standard Webhooks (headers `webhook-…`) and of Svix, where it comes from: an HMAC over id, time and body.
 * `strip`: what stands before the base64 of a secret; absent: the text of the secret is the key.
 */
export function standardScheme(prefix: 'webhook' | 'svix', strip?: readonly string[]): Scheme {
  return {
    alg: 'hmac-sha256',
    sig: { from: `header:${prefix}-signature`, parse: { item: ' ', kv: ',', key: 'v1' } },
    encoding: 'base64',
    ...(strip && { key: { encoding: 'base64', strip } }),
    message: `{header:${prefix}-id}.{ts}.{body}`,
    time: { from: `header:${prefix}-timestamp`, unit: 's', past: 300, future: 300, signed: true },
  };
}
