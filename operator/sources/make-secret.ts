import type { ProviderSpec } from '#core/provider/provider-spec.ts';

/** A secret of the form this provider's sources take, from random bytes. */
export function makeSecret(spec: ProviderSpec, random: Buffer): string {
  const key = spec.verify[0]?.key;
  const encoding = key?.encoding === undefined || key.encoding === 'utf8' ? 'hex' : key.encoding;
  return `${key?.strip?.at(-1) ?? ''}${random.toString(encoding)}`;
}
