import type { ProviderSpec } from '../inbound/provider-spec.ts';

/** Schemes whose key is fetched from a pinned URL need no secret of the source. */
const FETCHED_KEYS: readonly (string | undefined)[] = ['x509Url', 'jwksUrl'];

/** True when verifying a request of this provider takes a secret. */
export function needsSecret(spec: ProviderSpec): boolean {
  return (
    spec.verify.some(scheme => !FETCHED_KEYS.includes(scheme.key?.provider)) ||
    spec.handshakes.some(h => h.store !== undefined)
  );
}

/** True when the provider signs the URL it was given, so that the public URL must be known. */
export function signsUrl(spec: ProviderSpec): boolean {
  return spec.verify.some(scheme => scheme.url !== undefined || scheme.message?.includes('{url}') === true);
}
