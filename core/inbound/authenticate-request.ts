/**
 * Is this request genuine? Nothing is stored under an event's key before this says yes (I10). The caller learns nothing
 * of why not: the cause is a counter.
 */
import type { EpochMs } from '../glossary.ts';
import type { Telemetry } from '../ports.ts';
import type { ResolvedSource } from '../resolved-config.ts';
import { answerHandshake } from '../verification/handshake.ts';
import { type Verdict, type VerifyContext, verifyRequest } from '../verification/verify-request.ts';
import type { IngestPorts } from './accept-request.ts';
import { quarantineRequest } from './quarantine.ts';
import type { RawRequest } from './raw-request.ts';
import { acknowledge, type Reply, refuseSignature, unavailable } from './reply.ts';

export type Authenticated =
  | { kind: 'reply'; reply: Reply }
  | { kind: 'verified'; verdict: Extract<Verdict, { kind: 'verified' }> };

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
  const found = source.spec.verify.length === 0 ? ({ kind: 'unset' } as const) : await ports.secrets.get(source.id);
  if (source.spec.verify.length > 0 && found.kind !== 'secret' && source.spec.strength !== 'origin') {
    const error = found.kind === 'unset' ? 'secret_not_set' : 'secret_unreadable';
    // A handshake may be what brings the secret (pairing), so it is tried before giving up.
    const paired = found.kind === 'unset' ? await shakeHands(source, request, ports, contextOf(undefined)) : undefined;
    if (paired) return { kind: 'reply', reply: paired };
    countRefusal(source, error, ports.telemetry);
    return { kind: 'reply', reply: unavailable(error) };
  }
  let context = contextOf(found.kind === 'secret' ? found.secret : undefined);
  const handshake = await shakeHands(source, request, ports, context);
  if (handshake) return { kind: 'reply', reply: handshake };

  let verdict = await verifyRequest(source.spec, request, context);
  if (verdict.kind === 'refused' && verdict.cause === 'mismatch' && (await ports.secrets.refresh(source.id))) {
    const fresh = await ports.secrets.get(source.id);
    if (fresh.kind === 'secret') {
      context = contextOf(fresh.secret);
      verdict = await verifyRequest(source.spec, request, context);
    }
  }
  if (verdict.kind === 'refused') {
    countRefusal(source, verdict.cause, ports.telemetry);
    if (source.quarantine || source.dryRun) await quarantineRequest(source, request, verdict.cause, nowMs, ports);
    return {
      kind: 'reply',
      reply: source.dryRun ? acknowledge(source.spec, 'accepted', undefined) : refuseSignature(source.spec),
    };
  }
  if (verdict.matchedSecret === 'previous') ports.telemetry.count('PreviousSecretMatched', { source: source.id });
  return { kind: 'verified', verdict };

  function contextOf(secret: VerifyContext['secret']): VerifyContext {
    return {
      secret,
      nowMs,
      settings: source.settings,
      crypto: ports.crypto,
      ...(source.publicUrl === undefined ? {} : { publicUrl: source.publicUrl }),
      ...(ports.keys === undefined ? {} : { keys: ports.keys }),
    };
  }
}

async function shakeHands(
  source: ResolvedSource,
  request: RawRequest,
  ports: IngestPorts,
  context: VerifyContext,
): Promise<Reply | undefined> {
  if (source.spec.handshakes.length === 0) return undefined;
  const answer = await answerHandshake(source.spec, request, context);
  if (!answer) return undefined;
  ports.telemetry.log('info', { stage: 'handshake', source: source.id, status: answer.status });
  return { status: answer.status, headers: answer.headers, body: answer.body };
}

/** Counts a refusal with its cause, and logs it without any content. */
export function countRefusal(source: ResolvedSource, cause: string, telemetry: Telemetry): void {
  telemetry.count('RequestRejected', { source: source.id, cause });
  telemetry.log('info', { stage: 'refused', source: source.id, cause });
}
