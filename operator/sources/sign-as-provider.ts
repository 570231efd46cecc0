/** A request as a provider of a source would send it, with a valid signature. */
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { given } from '#core/given.ts';
import { signRequest } from '#core/verification/sign-request.ts';
import { OperatorError } from '#operator/operator-error.ts';

export interface Unsigned {
  readonly body: Uint8Array;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Default POST. */
  readonly method?: string;
  /** Without the question mark. */
  readonly rawQuery?: string;
}
export interface SignedAsProvider {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Behind the URL: empty, or `?…`. */
  readonly query: string;
}

/** Throws OperatorError where that takes a private key that only the provider has. `nowMs`: the time it claims. */
export function signAsProvider(
  { spec, settings, publicUrl }: Pick<ResolvedSource, 'spec' | 'settings' | 'publicUrl'>,
  unsigned: Unsigned,
  { secret, nowMs }: { readonly secret: string; readonly nowMs: number },
): SignedAsProvider {
  try {
    const how = { secret, settings, nowMs, crypto: nodeCrypto, ...given({ publicUrl }) };
    const signed = signRequest(spec, { ...unsigned, ...how });
    return {
      method: unsigned.method ?? 'POST',
      headers: signed.headers,
      body: signed.body ?? unsigned.body,
      query: signed.rawQuery === undefined ? '' : `?${signed.rawQuery}`,
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new OperatorError(`This request cannot be signed as ${spec.title} does: ${error.message}`, 'failure', {
      cause: error,
    });
  }
}
