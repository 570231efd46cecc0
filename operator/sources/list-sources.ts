/** What is received, where, and with which state of secret. */
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { PauseNote } from '#core/inbound/protocol/pauses.ts';
import { type SharedReads, sharedReads } from '#operator/events/shared-reads.ts';
import type { Operator } from '#operator/operator.ts';
import { parsedOf, readStored, stateOf } from './stored-state.ts';

export interface SourceView {
  readonly id: string;
  readonly provider: string;
  /** Where the provider sends to. */
  readonly url: string;
  readonly secret: 'not needed' | ReturnType<typeof stateOf>;
  readonly secretChangedAt: EpochMs | undefined;
  /** A rotation is going on: until then the previous secret is valid too. */
  readonly previousUntil: EpochMs | undefined;
  /** The provider may bring a secret until then. */
  readonly pairingUntil: EpochMs | undefined;
  readonly paused: PauseNote | undefined;
}

/** `already`: what a screen reads for its other parts, too. */
export async function listSources(
  operator: Operator,
  already?: Pick<SharedReads, 'pausesNow'>,
): Promise<readonly SourceView[]> {
  const pauses = await (already ?? (await sharedReads(operator))).pausesNow();
  return Promise.all(
    operator.deployment.sources.map(async ({ source, needsSecret }) => {
      const stored = needsSecret ? await readStored(operator, source.id) : undefined;
      const parsed = stored && parsedOf(stored);
      return {
        id: source.id,
        provider: source.spec.id,
        url: await urlOf(operator, source),
        secret: stored === undefined ? ('not needed' as const) : stateOf(stored, operator.clock.now()),
        secretChangedAt: stored?.changedAt,
        previousUntil: parsed?.kind === 'secret' ? parsed.secret.previousNotAfter : undefined,
        pairingUntil: parsed?.kind === 'unset' ? parsed.pairingUntil : undefined,
        paused: pauses[source.id],
      };
    }),
  );
}

/** The address the provider of a source sends to. */
export async function urlOf(operator: Operator, source: ResolvedSource): Promise<string> {
  return source.publicUrl ?? `${(await operator.gateway()).apiUrl}${source.paths[0]}`;
}
