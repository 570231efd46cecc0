/**
 * Headers of the system that sent before, beside our own: its receivers verify what we send with the secret they have.
 * Svix: https://docs.svix.com/receiving/verifying-payloads/how-manual. Convoy: https://getconvoy.io/docs/product-manual/signatures
 * and pkg/signature of frain-dev/convoy. Outpost: https://hookdeck.com/docs/outpost/destinations/webhook and
 * internal/destregistry/providers/destwebhook of hookdeck/outpost.
 */

import type { Compatibility } from '#core/outbound/protocol/items.ts';
import { letterKey } from '#core/outbound/protocol/secret-text.ts';
import type { SigningCrypto } from '#core/ports.ts';
import { encode, utf8 } from '#core/scan/bytes.ts';
import { toIso } from '#core/time.ts';
import type { AttemptToSign, LiveKey } from './attempt-to-sign.ts';

/** Of the signature; an endpoint may have another. */
const HEADER: Readonly<Record<Compatibility['like'], string>> = {
  svix: 'svix-signature',
  convoy: 'x-convoy-signature',
  outpost: 'x-outpost-signature',
};

/** The name of its signature's header, in lower case. */
const signatureHeaderOf = ({ like, header }: Compatibility): string => header ?? HEADER[like];
/** What Outpost writes before each of its names. */
const prefixOf = (signatureHeader: string): string => signatureHeader.slice(0, -'signature'.length);

/** The names of all headers that `signLike` sets. */
export function namesLike(compatibility: Compatibility): readonly string[] {
  const header = signatureHeaderOf(compatibility);
  const beside = {
    svix: () => ['svix-id', 'svix-timestamp'],
    convoy: () => [],
    outpost: () => ['event-id', 'topic', 'timestamp'].map(name => prefixOf(header) + name),
  };
  return [header, ...beside[compatibility.like]()];
}

/** Nothing without a shared secret. `standard`: headers of the attempt in the form `standard`. */
export function signLike(
  crypto: Pick<SigningCrypto, 'hmac'>,
  attempt: AttemptToSign,
  compatibility: Compatibility,
  standard: () => Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const keys = attempt.keys.filter(({ alg }) => alg === 'sha256');
  if (keys.length === 0) return {};
  const header = signatureHeaderOf(compatibility);
  if (compatibility.like === 'convoy') return { [header]: likeConvoy(crypto, attempt, compatibility, keys) };
  if (compatibility.like === 'outpost') return likeOutpost(crypto, attempt, compatibility, keys);
  const { 'webhook-timestamp': time = '', 'webhook-signature': signature = '' } = standard();
  return { 'svix-id': attempt.id, 'svix-timestamp': time, [header]: signature };
}

const secondsOf = ({ now }: AttemptToSign): string => String(Math.floor(now / 1_000));

/** HMAC of the body, or of the time, a separator and the body. */
function macsOf(
  crypto: Pick<SigningCrypto, 'hmac'>,
  attempt: AttemptToSign,
  { hash = 'sha256', encoding = 'hex', timed = false }: Compatibility,
  { keys, separator }: { readonly keys: readonly LiveKey[]; readonly separator: string },
): readonly string[] {
  const parts = timed ? [utf8(`${secondsOf(attempt)}${separator}`), attempt.body] : [attempt.body];
  return keys.map(({ bytes }) => encode(crypto.hmac(hash, letterKey(bytes).bytes, ...parts), encoding));
}

/** Simple: one signature, and nothing else. Advanced: `t=…,v1=…`, one `v1` for each key, the time and a comma signed. */
function likeConvoy(
  crypto: Pick<SigningCrypto, 'hmac'>,
  attempt: AttemptToSign,
  compatibility: Compatibility,
  keys: readonly LiveKey[],
): string {
  const macs = macsOf(crypto, attempt, compatibility, { keys, separator: ',' });
  if (compatibility.timed !== true) return macs[0] ?? '';
  return [`t=${secondsOf(attempt)}`, ...macs.map(mac => `v1=${mac}`)].join(',');
}

/** `v0=` and the signatures of all keys; in its older form with `t=…,` before, the time and a dot signed. */
function likeOutpost(
  crypto: Pick<SigningCrypto, 'hmac'>,
  attempt: AttemptToSign,
  compatibility: Compatibility,
  keys: readonly LiveKey[],
): Readonly<Record<string, string>> {
  const { timed = false } = compatibility;
  const header = signatureHeaderOf(compatibility);
  const prefix = prefixOf(header);
  const macs = macsOf(crypto, attempt, compatibility, { keys, separator: '.' });
  const time = secondsOf(attempt);
  return {
    [`${prefix}event-id`]: attempt.id,
    [`${prefix}topic`]: attempt.message.type,
    // RFC 3339 to the second.
    [`${prefix}timestamp`]: timed ? time : `${toIso(attempt.now).slice(0, 19)}Z`,
    [header]: `${timed ? `t=${time},` : ''}v0=${macs.join(',')}`,
  };
}
