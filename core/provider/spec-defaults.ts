/** What a spec leaves out where it is as with most providers. */
import type { ProviderSpec, Scheme } from './provider-spec.ts';

export function methodsOf({ methods, handshakes = [] }: ProviderSpec): readonly string[] {
  return methods ?? [...new Set(['POST', ...handshakes.map(({ when }) => when.method)])];
}

/** Headers that prove a request: never stored, never logged. */
export function signatureHeadersOf({ signatureHeaders, verify }: ProviderSpec): readonly string[] {
  if (signatureHeaders !== undefined) return signatureHeaders;
  const sources = verify.flatMap(({ sig, time }) => [sig.from, time?.from ?? []].flat());
  return [...new Set(sources.flatMap(src => (src.startsWith('header:') ? [src.slice(7).replace(/\?$/, '')] : [])))];
}

export const schemeId = ({ id }: Scheme, spec: ProviderSpec): string => id ?? spec.id;
