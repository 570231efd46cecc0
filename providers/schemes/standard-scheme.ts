import type { ProviderSpec } from 'holdfast';

type Scheme = ProviderSpec['verify'][number];

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
