import { createHmac } from 'node:crypto';
import type { ProviderSpec, Scheme } from '#core/inbound/provider-spec.ts';

export interface UnsignedRequest {
  readonly body: string | Uint8Array;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Signs a request as the provider would, by its own spec: the headers to send it with. `atEpochSeconds` is the signed
 * time. Undefined for schemes other than a shared-secret HMAC in a header.
 */
export function signRequest(
  spec: ProviderSpec,
  secret: string,
  request: UnsignedRequest,
  atEpochSeconds: number,
): Readonly<Record<string, string>> | undefined {
  const scheme = spec.verify.find(canSign);
  const header = scheme && headerName(scheme.sig.from);
  if (!scheme || !header) return undefined;
  const timeHeader = scheme.time && headerName(scheme.time.from);
  const headers = { ...request.headers, ...(timeHeader && { [timeHeader]: String(atEpochSeconds) }) };
  const mac = createHmac(scheme.alg.slice('hmac-'.length), keyBytes(scheme, secret));
  for (const part of (scheme.message ?? '{body}').split(/(\{[^}]+\})/)) {
    if (part === '{body}') mac.update(request.body);
    else if (part === '{ts}') mac.update(String(atEpochSeconds));
    else mac.update(part.startsWith('{header:') ? (headers[part.slice('{header:'.length, -1)] ?? '') : part);
  }
  return { ...headers, [header]: formatSignature(scheme, mac.digest(scheme.encoding ?? 'hex'), atEpochSeconds) };
}

/** A fresh secret of the form this provider's sources take. `random` are 32 random bytes. */
export function makeSecret(spec: ProviderSpec, random: Buffer): string {
  const scheme = spec.verify[0];
  if (scheme?.key?.encoding === 'base64') return `whsec_${random.toString('base64')}`;
  return spec.id === 'stripe' ? `whsec_${random.toString('hex')}` : random.toString('hex');
}

function canSign(scheme: Scheme): boolean {
  return scheme.alg.startsWith('hmac-') && scheme.message?.includes('{url}') !== true && !scheme.batch && !scheme.code;
}

function headerName(from: Scheme['sig']['from']): string | undefined {
  const first = typeof from === 'string' ? from : from[0];
  return first?.startsWith('header:') ? first.slice('header:'.length) : undefined;
}

function keyBytes(scheme: Scheme, secret: string): Buffer {
  const prefix = scheme.key?.strip?.find(it => secret.startsWith(it)) ?? '';
  return Buffer.from(secret.slice(prefix.length), scheme.key?.encoding ?? 'utf8');
}

/** `sha256=<sig>`, `v1,<sig>`, `t=<time>,v1=<sig>` or the bare signature, as the header's grammar says. */
function formatSignature(scheme: Scheme, signature: string, atEpochSeconds: number): string {
  const { prefix = '', item = ',', kv, key } = scheme.sig.parse ?? {};
  if (kv === undefined || key === undefined) return `${prefix}${signature}`;
  const pair = `${typeof key === 'string' ? key : key[0]}${kv}${signature}`;
  const time = scheme.time?.from.startsWith('sig:') ? scheme.time.from.slice('sig:'.length) : undefined;
  return time === undefined ? pair : `${time}${kv}${atEpochSeconds}${item}${pair}`;
}
