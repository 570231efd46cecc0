import type { ProviderSpec } from './provider-spec.ts';

/** Keys that are fetched from a pinned URL, or come in certificates under a pinned root, need no secret of the source. */
const PUBLISHED_KEYS: readonly (string | undefined)[] = ['x509Url', 'jwksUrl', 'x5c'];

/** True when verifying a request of this provider takes a secret. */
export function needsSecret(spec: ProviderSpec): boolean {
  return spec.verify.some(scheme => !PUBLISHED_KEYS.includes(scheme.key?.provider)) || storesSecret(spec);
}

/** True when every key is the provider's own: no secret of ours can be the wrong one. */
export function publishesAllKeys(spec: ProviderSpec): boolean {
  return (
    spec.verify.length > 0 &&
    spec.verify.every(({ code, key }) => code === 'sns' || PUBLISHED_KEYS.includes(key?.provider))
  );
}

/** True when the provider hands its secret over in its handshake, to be stored. */
export function storesSecret(spec: ProviderSpec): boolean {
  return spec.handshakes?.some(({ store }) => store !== undefined) === true;
}

/** True when the URL the provider was given is part of what it signs, or of the answer to its handshake. */
export function signsUrl(spec: ProviderSpec): boolean {
  return (
    spec.verify.some(
      ({ url, code, message = '' }) =>
        url !== undefined || code === 'jira-connect' || /\{(?:url|pathQuery)\}/.test(message),
    ) || spec.handshakes?.some(({ respond }) => /[,(]\s*url\s*[,)]/.test(respond.body ?? '')) === true
  );
}
