/** The shared signature vectors, as requests to the providers of this repository. */
import { readFileSync } from 'node:fs';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import type { Jwk, KeyFetcher, SourceSecret } from '#core/ports.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { schemeId } from '#core/provider/spec-defaults.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import type { VerifyContext } from '#core/verification/verify-context.ts';
import { PROVIDERS } from '#providers/index.ts';

export interface Vector {
  readonly id: string;
  readonly provider: string;
  readonly scheme: string | null;
  /** `unauthenticated`: nothing is signed, every request is accepted. */
  readonly expect: 'valid' | 'invalid' | 'unauthenticated';
  readonly reason?: string;
  readonly secret?: string | readonly string[];
  readonly publicKey?: string;
  readonly config?: Readonly<Record<string, string>>;
  readonly method: string;
  readonly url?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBase64: string;
  /** Seconds. */
  readonly now?: number;
  readonly identity?: { readonly eventId: string; readonly eventType: string; readonly eventAt: string };
}

export interface HandshakeVector {
  readonly id: string;
  readonly provider: string;
  readonly request: {
    readonly method: 'GET' | 'POST' | 'OPTIONS' | 'HEAD';
    readonly query?: string;
    readonly url?: string;
    readonly json?: unknown;
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly signed?: boolean;
  };
  readonly secret?: string;
  readonly publicKey?: string;
  readonly response: {
    readonly status: number;
    readonly contentType?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly json?: unknown;
    readonly text?: string;
  };
}

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')) as T;
const file = read<{ vectors: Vector[]; handshakes: HandshakeVector[] }>('provider-vectors.json');

export const VECTORS: readonly Vector[] = [...file.vectors, ...read<{ vectors: Vector[] }>('own-vectors.json').vectors];
export const HANDSHAKE_VECTORS: readonly HandshakeVector[] = file.handshakes;

/** Seconds; used where a vector gives no time because its scheme has none. */
const ANY_TIME = 1_790_000_000;

/** Signed under the header names of Shopify's newer family of webhooks. */
const UNDER_ANOTHER_SPEC: Readonly<Record<string, string>> = { 'shopify-c-tampered': 'shopify-events' };

/** The spec that has the vector's scheme, or is named like its provider. */
export function specOf(vector: Pick<Vector, 'id' | 'provider' | 'scheme'>): ProviderSpec | undefined {
  const all = Object.values(PROVIDERS);
  const other = UNDER_ANOTHER_SPEC[vector.id];
  return (
    (other === undefined ? undefined : PROVIDERS[other]) ??
    all.find(
      spec => spec.verify.some(scheme => schemeId(scheme, spec) === vector.scheme) && spec.id === vector.provider,
    ) ??
    all.find(spec => spec.verify.some(scheme => schemeId(scheme, spec) === vector.scheme)) ??
    all.find(spec => spec.id === vector.scheme) ??
    all.find(spec => spec.id === vector.provider)
  );
}

export function requestOf(vector: Vector): RawRequest {
  return {
    method: vector.method,
    rawQuery: vector.url?.split('?')[1] ?? '',
    headers: lowerCased(vector.headers),
    body: new Uint8Array(Buffer.from(vector.bodyBase64, 'base64')),
    sourceIp: '192.0.2.1',
  };
}

export function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Settings under the names the specs use. */
function settingsOf(vector: Vector, spec: ProviderSpec): Record<string, string> {
  const settings: Record<string, string> = { ...vector.config };
  if (spec.id === 'braintree') settings['publicKey'] = 'integration_public_key';
  if (spec.id === 'plaid') Object.assign(settings, { clientId: 'client', environment: 'sandbox' });
  return settings;
}

export function contextOf(vector: Vector, spec: ProviderSpec): VerifyContext {
  const [bareUrl] = (vector.url ?? vector.config?.['url'] ?? '').split('?');
  const fetched = spec.verify.some(scheme => scheme.key?.provider !== undefined || scheme.code === 'sns');
  return {
    secret: fetched ? { current: 'api-secret' } : secretOf(vector.secret ?? vector.publicKey ?? ''),
    nowMs: vector.now === undefined ? ownTime(vector) : vector.now * 1_000,
    settings: settingsOf(vector, spec),
    crypto: nodeCrypto,
    ...(bareUrl ? { publicUrl: bareUrl } : {}),
    ...(fetched && vector.publicKey !== undefined ? { keys: servingKey(vector.publicKey) } : {}),
  };
}

/** A vector without a time is looked at in the moment it was signed. */
function ownTime(vector: Vector): number {
  const signed = /\bt=(\d{13}),/.exec(Object.values(vector.headers).join('\n'))?.[1];
  return signed === undefined ? ANY_TIME * 1_000 : Number(signed);
}

function secretOf(secret: string | readonly string[]): SourceSecret {
  const [current = '', previous] = typeof secret === 'string' ? [secret] : secret;
  return previous === undefined ? { current } : { current, previous };
}

/** Serves the vector's key as its publisher would: by address, and by key id where there are several. */
function servingKey(text: string): KeyFetcher {
  return {
    fetchKey: (kind, _locator, kid) => {
      if (kind === 'x509Url') return Promise.resolve(text);
      const parsed = JSON.parse(text) as Jwk & { keys?: Jwk[] };
      return Promise.resolve((parsed.keys ?? [parsed]).find(key => key['kid'] === kid));
    },
  };
}
