/** Hold a source's events back without refusing any. */
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import type { SourceId } from '#core/glossary.ts';
import { findPaused, pauseSource, readPauses, resumeSource } from '#core/inbound/protocol/pause-source.ts';
import type { Operator } from '#operator/operator.ts';

/** Who paused which sources, since when and why. */
export async function pausesOf(operator: Operator) {
  return readPauses((await operator.gateway()).control);
}

/** Its handlers stop; its events are verified, recorded and acknowledged, and wait. */
export async function pause(operator: Operator, source: Pick<ResolvedSource, 'id'>, why: string) {
  return pauseSource(source.id, { by: operator.by, why }, await operator.gateway());
}

/** Ends the pause of a source, also of one that is configured no more. Throws OperatorError (usage) for an unknown name. */
export async function resume(operator: Operator, name: string) {
  const configured = operator.sourceIds.find(it => it === name);
  const gateway = await operator.gateway();
  const source: SourceId = configured ?? (await findPaused(name, gateway.control)) ?? operator.source(name).id;
  return { source, configured: configured !== undefined, ...(await resumeSource(source, gateway)) };
}
