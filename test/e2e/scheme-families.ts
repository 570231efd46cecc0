/** Requests as the providers of test-gateway.config.ts would make them now, with throw-away keys. */
import { given } from '#core/given.ts';
import type { ProviderSpec, Scheme } from '#core/provider/provider-spec.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import { PROVIDERS } from '#providers/index.ts';
import { genuineRequest } from '../providers/genuine-request.ts';

export function requestOf(provider: string, url: string | undefined, options: { wrongKey?: boolean } = {}): RawRequest {
  const variation = { signedAtMs: Date.now(), ...given({ url }), ...options };
  return genuineRequest(...schemeOf(provider), variation).request;
}

/** What is stored for its source: the shared secret, or the provider's public key. */
export function secretOf(provider: string): string {
  return genuineRequest(...schemeOf(provider)).context.secret?.current ?? '';
}

function schemeOf(provider: string): [ProviderSpec, Scheme] {
  const spec = PROVIDERS[provider];
  const scheme = spec?.verify[0];
  if (!spec || !scheme) throw new Error(`providers/ has no scheme of "${provider}"`);
  return [spec, scheme];
}
