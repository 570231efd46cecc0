/** What a spec leaves out where it is as with most providers. */
import type { Ack, ProviderSpec, Scheme, Strength } from './provider-spec.ts';

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

/** The least that the schemes prove. That there is none is always said. */
export function strengthOf({ strength, verify }: Pick<ProviderSpec, 'strength' | 'verify'>): Strength {
  if (strength !== undefined) return strength;
  const has = (...algorithms: readonly Scheme['alg'][]): boolean => verify.some(({ alg }) => algorithms.includes(alg));
  return has('token', 'basic') ? 'shared-secret' : has('jwt') ? 'origin' : 'signed';
}

const ACK: Ack = { status: 200, rejectStatus: 401, deadlineMs: 10_000 };

export const ackOf = ({ ack = ACK }: Pick<ProviderSpec, 'ack'>): Ack => ack;
