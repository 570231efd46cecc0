/** One scheme against one request or batch item. Bytes are compared in check-signature.ts and the Crypto port only. */
import type { Scheme } from '#core/provider/provider-spec.ts';
import { binaryOf, concatBytes, decode, fromBase64, textOf } from '#core/scan/bytes.ts';
import { checkBindings, checkBodyClaims } from './check-bindings.ts';
import {
  type AsymmetricAlgorithm,
  computeMac,
  hasSignatureLength,
  isAsymmetric,
  isSymmetric,
  type SymmetricAlgorithm,
} from './check-signature.ts';
import { buildMessage, digitsCouldMove } from './message.ts';
import { readSignatures, readToken, type Signatures } from './read-signatures.ts';
import type { RequestReader, Scope } from './request-reader.ts';
import { liveSecrets, sameText, secretKey } from './secret-keys.ts';
import { checkWindow, readSignedTime } from './timestamps.ts';
import { type Found, type Matched, type Prepared, type Refused, refused } from './verdict.ts';
import type { VerifyContext } from './verify-context.ts';

/** Most sources sign with a secret: what checks public keys and tokens is read with the first request that needs it. */
const onDemand = () => import('./on-demand.ts');

export async function verifyScheme(
  scheme: Scheme,
  reader: RequestReader,
  scope: Scope,
  context: VerifyContext,
): Promise<Matched | Refused> {
  if (scheme.code === 'sns') return (await onDemand()).verifySns(reader, context);
  if (scheme.alg === 'token' || scheme.alg === 'basic') return verifyCredential(scheme, reader, scope, context);
  const signatures = readSignatures(scheme, reader, scope);
  if (signatures.kind === 'refused') return signatures;
  const { alg } = scheme;
  if (alg === 'jwt') return (await onDemand()).verifyJwt(scheme, signatures, reader, context);
  const found = { ...scope, sig: signatures.parts };
  if (isSymmetric(alg)) return verifyMac(scheme, alg, signatures, reader, found, context);
  return isAsymmetric(alg)
    ? verifyPublicKey(scheme, alg, signatures, reader, found, context)
    : refused('no_key', 'unknown_algorithm');
}

/** HMAC and plain digests: any of the live secrets with any of the signatures, over any spelling of the URL. */
async function verifyMac(
  scheme: Scheme,
  alg: SymmetricAlgorithm,
  signatures: Signatures,
  reader: RequestReader,
  scope: Scope,
  context: VerifyContext,
): Promise<Matched | Refused> {
  const prepared = await prepare(scheme, alg, signatures, reader, scope);
  if (prepared.kind === 'refused') return prepared;
  const { crypto } = context;
  let refusal: Refused = refused('no_key', 'no_usable_secret');
  for (const secret of liveSecrets(context.secret, context.nowMs)) {
    const key = secretKey(scheme, secret.text, crypto);
    if (!key) continue;
    for (const url of prepared.urls) {
      const message = buildMessage(scheme, { reader, scope, time: prepared.time, url, secret: secret.text });
      if ('kind' in message) return message;
      const mac = computeMac(alg, key, message, crypto);
      if (prepared.signatures.some(signature => crypto.equal(signature, mac))) {
        const found: Found = { kind: 'matched', matchedSecret: secret.which, message };
        return afterMatch(scheme, found, reader, scope, context, prepared);
      }
      refusal = refused('mismatch');
    }
  }
  return refusal;
}

/** Ed25519, ECDSA and RSA, with pasted or fetched keys. */
async function verifyPublicKey(
  scheme: Scheme,
  alg: AsymmetricAlgorithm,
  signatures: Signatures,
  reader: RequestReader,
  scope: Scope,
  context: VerifyContext,
): Promise<Matched | Refused> {
  const prepared = await prepare(scheme, alg, signatures, reader, scope);
  if (prepared.kind === 'refused') return prepared;
  const found = await (await onDemand()).matchPublicKey(scheme, alg, prepared, reader, scope, context);
  return found.kind === 'refused' ? found : afterMatch(scheme, found, reader, scope, context, prepared);
}

/** Everything that can be refused without a key: the time's grammar, the signatures' encoding, ambiguous bodies. */
async function prepare(
  scheme: Scheme,
  alg: SymmetricAlgorithm | AsymmetricAlgorithm,
  signatures: Signatures,
  reader: RequestReader,
  scope: Scope,
): Promise<Prepared | Refused> {
  const time = scheme.time && readSignedTime(scheme.time, reader, scope);
  if (time?.kind === 'refused') return time;
  const decoded: Uint8Array[] = [];
  for (const value of signatures.values) {
    const bytes = decode(value, scheme.encoding ?? 'hex');
    if (bytes && hasSignatureLength(alg, bytes)) decoded.push(bytes);
  }
  if (decoded.length === 0) return refused('malformed', 'signature_encoding');
  const { body } = reader.request;
  if (digitsCouldMove(scheme, body)) return refused('malformed', 'digit_next_to_timestamp');
  // SHA-256(secret, body) can be extended by anyone who has one; the padding that takes always holds a NUL.
  if (alg === 'digest-sha256' && body.includes(0)) return refused('malformed', 'nul_byte');
  const url = reader.url();
  const urls = scheme.url?.variants === undefined ? [url] : (await onDemand()).urlCandidates(scheme, url);
  return { kind: 'prepared', signatures: decoded, time: time?.text, timeMs: time?.ms, urls };
}

/** Whose secret it was, or what a good signature is still refused for: another body, a handshake's answer, the time. */
function afterMatch(
  scheme: Scheme,
  found: Found,
  reader: RequestReader,
  scope: Scope,
  context: VerifyContext,
  prepared: Prepared,
): Matched | Refused {
  return (
    checkBindings(scheme, reader, scope, context) ??
    checkBodyClaims(scheme, reader) ??
    checkGuard(scheme, found.message) ??
    (scheme.time && prepared.timeMs !== undefined
      ? checkWindow(scheme.time, prepared.timeMs, context.nowMs)
      : undefined) ?? { kind: 'matched', matchedSecret: found.matchedSecret }
  );
}

/** Handshakes only MAC short texts, so longer messages cannot have come from one. */
const MAX_GUARDED_BYTES = 4_096;

function checkGuard(scheme: Scheme, message: readonly Uint8Array[]): Refused | undefined {
  if (!scheme.guard) return undefined;
  let length = 0;
  for (const part of message) length += part.length;
  if (length > MAX_GUARDED_BYTES) return undefined;
  return new RegExp(scheme.guard.rejectMessage).test(binaryOf(concatBytes(message)))
    ? refused('binding', 'looks_like_a_handshake')
    : undefined;
}

/** Tokens and Basic pairs are compared whole. A comma that no secret has means that the header was sent twice. */
function verifyCredential(
  scheme: Scheme,
  reader: RequestReader,
  scope: Scope,
  { secret, nowMs, crypto }: VerifyContext,
): Matched | Refused {
  const received = readToken(scheme, reader, scope);
  if (received.kind === 'refused') return received;
  const values = scheme.alg === 'basic' ? received.values.flatMap(value => basicPair(value) ?? []) : received.values;
  const secrets = liveSecrets(secret, nowMs);
  for (const { text, which } of secrets) {
    if (values.some(value => sameText(value, text, crypto))) return { kind: 'matched', matchedSecret: which };
  }
  if (secrets.length === 0) return refused('no_key', 'no_usable_secret');
  const twice = received.values[0]?.includes(',') && !secrets.some(({ text }) => text.includes(','));
  if (twice && scheme.sig.from.toString().startsWith('header:')) return refused('duplicate_header');
  return values.length === 0 ? refused('malformed', 'not_basic') : refused('mismatch');
}

/** RFC 7617: base64 of `user:password`; only the first colon divides, so the pair stays whole. */
function basicPair(value: string): string | undefined {
  const match = /^basic +(\S+)$/i.exec(value);
  const bytes = match ? fromBase64(match[1] ?? '') : undefined;
  return bytes && textOf(bytes);
}
