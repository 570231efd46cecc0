/**
 * Handshakes, with what they ask for beside an answer: keeping a secret that the provider brings, confirming a
 * subscription by a call. Both are done before the answer, and the answer is a good one only when they were.
 */

import { ask } from '#core/ask.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import type { Reply } from '#core/reply.ts';
import type { HandshakeAnswer } from '#core/verification/handshake.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import type { VerifyContext } from '#core/verification/verify-context.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { countRefusal } from './count-refusal.ts';
import type { IngestPorts } from './ingest-ports.ts';
import { refuse } from './reply.ts';

type HandshakePorts = Pick<IngestPorts, 'secrets' | 'http' | 'telemetry'>;

/** The reply when the request is one of the provider's handshakes. `renew`: the context with the secret as it is stored. */
export async function shakeHands(
  source: ResolvedSource,
  request: RawRequest,
  context: VerifyContext,
  renew: () => Promise<VerifyContext>,
  ports: HandshakePorts,
): Promise<Reply | undefined> {
  const known = await answerTo(source, request, context);
  // Where our secret is an old one, nobody hears of it but the provider, which ends the subscription.
  const answer = known?.signedUnasked ? await answerTo(source, request, await renew()) : known;
  if (!answer) return undefined;
  if (answer.status >= 400) countRefusal(source, 'handshake', ports.telemetry);
  const failed = (await keepSecret(source, answer, ports)) ?? (await confirm(source, answer, ports));
  if (failed) return failed;
  ports.telemetry.log('info', { stage: 'handshake', source: source.id, status: answer.status });
  return { status: answer.status, headers: answer.headers, body: answer.body };
}

/**
 * For a request that did not verify and brings a secret although the source has one: refused, unless the operator opened
 * a pairing window a moment ago.
 */
export async function refuseBroughtSecret(
  source: ResolvedSource,
  request: RawRequest,
  withoutSecret: VerifyContext,
  ports: HandshakePorts,
): Promise<Reply | undefined> {
  if (!source.spec.handshakes?.some(({ store }) => store)) return undefined;
  const answer = await answerTo(source, request, withoutSecret);
  if (answer?.storeSecret === undefined) return undefined;
  return (
    (await keepSecret(source, answer, ports)) ?? { status: answer.status, headers: answer.headers, body: answer.body }
  );
}

/** Most providers have no handshake: the code for one is read with the first request that may be one. */
async function answerTo(
  { spec }: ResolvedSource,
  request: RawRequest,
  context: VerifyContext,
): Promise<HandshakeAnswer | undefined> {
  if (!spec.handshakes?.length) return undefined;
  const { answerHandshake } = await import('#core/verification/on-demand.ts');
  return answerHandshake(spec, request, context, verifyRequest);
}

async function keepSecret(
  source: ResolvedSource,
  { storeSecret }: HandshakeAnswer,
  ports: HandshakePorts,
): Promise<Reply | undefined> {
  if (storeSecret === undefined) return undefined;
  const paired = await tryOut(() => ports.secrets.pair(source.id, storeSecret), ports);
  ports.telemetry.log('warn', { stage: 'pairing', source: source.id, outcome: paired ?? 'unknown' });
  if (paired === 'paired') return undefined;
  const cause = paired === undefined ? 'not_paired' : 'pairing';
  countRefusal(source, cause, ports.telemetry);
  return refuse(cause, source);
}

/** The address was pinned by the spec and came in a verified request. Anything but success: the provider asks again. */
async function confirm(
  source: ResolvedSource,
  { confirmUrl }: HandshakeAnswer,
  ports: HandshakePorts,
): Promise<Reply | undefined> {
  if (confirmUrl === undefined) return undefined;
  const status = ports.http && (await tryOut(async () => ports.http?.get(confirmUrl), ports));
  ports.telemetry.log('warn', { stage: 'confirm', source: source.id, status: status ?? 'no answer' });
  if (status !== undefined && status >= 200 && status <= 299) return undefined;
  countRefusal(source, 'confirm', ports.telemetry);
  return refuse('confirm', source);
}

/** Undefined when nobody knows whether it was done. */
async function tryOut<T>(work: () => Promise<T>, ports: HandshakePorts): Promise<T | undefined> {
  const asked = await ask({ telemetry: ports.telemetry, stage: 'handshake' }, work);
  return asked.ok ? asked.value : undefined;
}
