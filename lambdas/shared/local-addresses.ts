/**
 * Addresses of this machine that may be called all the same: only where AWS itself is on this machine, too. The configuration
 * refuses them outside emulated environments (core/config/outbound-config.ts); this is the second lock. Lambda gives a
 * function no AWS_ENDPOINT_URL, and no stack of ours sets one, so on AWS the list is empty whatever was configured.
 */
export function localAddresses(
  configured: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const endpoint = environment['AWS_ENDPOINT_URL'] ?? '';
  const host = URL.canParse(endpoint) ? new URL(endpoint).hostname : '';
  return /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(host) ? configured : [];
}
