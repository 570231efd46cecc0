/**
 * Is this request genuine? Nothing is stored under an event's key before this says yes (I10). The caller learns nothing
 * of why not: the cause is a counter.
 */

import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { KeyFetcher, SecretResult } from '#core/ports.ts';
import { needsSecret } from '#core/provider/source-needs.ts';
import type { Reply } from '#core/reply.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import type { Refused, Verdict, Verified } from '#core/verification/verdict.ts';
import type { VerifyContext } from '#core/verification/verify-context.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { countRefusal } from './count-refusal.ts';
import type { IngestPorts } from './ingest-ports.ts';
import { keepRefused } from './quarantine.ts';
import { refuse } from './reply.ts';
import { refuseBroughtSecret, shakeHands } from './shake-hands.ts';

export type Authenticated = { kind: 'reply'; reply: Reply } | { kind: 'verified'; verdict: Verified };

type KeyPlace = Parameters<NonNullable<KeyFetcher['confirm']>>;

/**
 * A wrong secret looks like this (Plaid gives no key for one, a token with a comma looks like two); a look at the stored one
 * may put it right.
 */
const MAY_BE_AN_OLD_SECRET: readonly string[] = ['mismatch', 'no_key', 'key_fetch', 'duplicate_header'];

/**
 * Gets the secret, answers a handshake, verifies the raw bytes; after a mismatch once more with a freshly fetched secret,
 * so that a rotation rejects nothing.
 */
export async function authenticateRequest(
  source: ResolvedSource,
  request: RawRequest,
  ports: IngestPorts,
  nowMs: EpochMs,
): Promise<Authenticated> {
  let place: KeyPlace | undefined;
  const secretNeeded = needsSecret(source.spec);
  const found: SecretResult = secretNeeded ? await ports.secrets.get(source.id) : { kind: 'unset' };
  const used = secretOf(found);
  // A handshake may be what brings the secret (pairing), so it comes before giving up for want of one.
  const handshake = found.kind === 'unreadable' ? undefined : await shake(used);
  if (handshake) return { kind: 'reply', reply: handshake };
  if (secretNeeded && used === undefined) {
    const cause = found.kind === 'unset' ? 'secret_not_set' : 'secret_unreadable';
    countRefusal(source, cause, ports.telemetry);
    return { kind: 'reply', reply: refuse(cause, source) };
  }

  let verdict = await verifyRequest(source.spec, request, contextOf(used));
  if (secretNeeded && mayBeAnOldSecret(verdict)) {
    const fresh = await storedSecret();
    if (fresh !== undefined && fresh !== used) {
      // As a handshake it was not known by the old secret.
      const late = await shake(fresh);
      if (late) return { kind: 'reply', reply: late };
      verdict = await verifyRequest(source.spec, request, contextOf(fresh));
    }
  }
  if (verdict.kind === 'refused') return { kind: 'reply', reply: await turnAway(verdict) };
  if (verdict.matchedSecret === 'fetched' && place) await ports.keys?.confirm?.(...place);
  if (verdict.matchedSecret === 'previous') ports.telemetry.count('PreviousSecretMatched', { source: source.id });
  return { kind: 'verified', verdict };

  function shake(secret: VerifyContext['secret']): Promise<Reply | undefined> {
    const renew = async () => contextOf((await storedSecret()) ?? secret);
    return shakeHands(source, request, contextOf(secret), renew, ports);
  }

  async function storedSecret(): Promise<VerifyContext['secret']> {
    await ports.secrets.refresh(source.id);
    return secretOf(await ports.secrets.get(source.id));
  }

  async function turnAway({ cause, hint }: Refused): Promise<Reply> {
    const brought = await refuseBroughtSecret(source, request, contextOf(undefined), ports);
    if (brought) return brought;
    countRefusal(source, cause, ports.telemetry, hint);
    await keepRefused(source, request, { cause, ...given({ hint }), at: nowMs }, ports);
    return refuse(cause, source);
  }

  /** Remembers which place was asked last: of a request that verifies, it is the one whose key verified it. */
  function fetchKey(keys: KeyFetcher): KeyFetcher['fetchKey'] {
    return (kind, locator, kid, credential) => {
      place = [kind, locator, kid];
      return keys.fetchKey(kind, locator, kid, credential);
    };
  }

  function contextOf(secret: VerifyContext['secret']): VerifyContext {
    return {
      secret,
      nowMs,
      settings: source.settings,
      crypto: ports.crypto,
      ...given({ publicUrl: source.publicUrl }),
      ...(ports.keys === undefined ? {} : { keys: { fetchKey: fetchKey(ports.keys) } }),
    };
  }
}

/** Of a batch in part, too: the items that were refused would be acknowledged with the others, and never come again. */
function mayBeAnOldSecret(verdict: Verdict): boolean {
  if (verdict.kind === 'refused') return MAY_BE_AN_OLD_SECRET.includes(verdict.cause);
  return verdict.items?.some(({ cause }) => cause !== undefined && MAY_BE_AN_OLD_SECRET.includes(cause)) ?? false;
}

function secretOf(found: SecretResult): VerifyContext['secret'] {
  return found.kind === 'secret' ? found.secret : undefined;
}
