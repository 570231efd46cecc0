/** Late requests of the provider by the real ingest, replays by the real replayEvent, closings by the real closeDeath. */
import { RefusedSlots } from '#core/inbound/ingest/refused-slots.ts';
import { closeDeath } from '#core/inbound/protocol/close-death.ts';
import { replayEvent } from '#core/inbound/replay/replay-event.ts';
import { handleRequest } from '#lambdas/ingest/handle-request.ts';
import { signedRequest } from '#test/kit/signed-request.ts';
import type { LateRequest, Operator } from '#test/proof/model/lifecycle/lifecycle-state.ts';
import { Divergence, expectBefore, notEnded, release } from './expect-call.ts';
import type { RealLifecycle } from './real-lifecycle.ts';
import { SteppedProcess } from './stepped-process.ts';
import { PK, RULES, SECRET, source } from './walk-rules.ts';

export async function requestStep(
  real: RealLifecycle,
  from: LateRequest | undefined,
  action: string,
  to: LateRequest | undefined,
): Promise<void> {
  if (!from) real.request = await startRequest(real);
  const process = real.request;
  if (!process) throw new Error('a request without a process');
  await release(process, action);
  if (to) return expectBefore(process, to.step, action, real);
  const answer = process.ended && 'value' in process.ended ? process.ended.value : undefined;
  if ((answer as { statusCode?: number } | undefined)?.statusCode !== 200) throw notEnded(process, action);
  real.request = undefined;
}

/** A signed request for the walk's event, standing before the insert. */
export async function startRequest(real: RealLifecycle): Promise<SteppedProcess> {
  const process = new SteppedProcess();
  const secrets = {
    get: async () => ({ kind: 'secret' as const, secret: { current: SECRET } }),
    refresh: async () => false,
    pair: async () => 'closed' as const,
  };
  const ingest = handleRequest(
    [source],
    { ...real.ports(process), secrets, refused: new RefusedSlots({ next: () => 0 }) },
    RULES,
  );
  const delivery = { id: PK.slice(PK.indexOf('#') + 1), createdAt: real.createdAt };
  await process.start(() => ingest(signedRequest(delivery, real.clock.now(), SECRET)));
  return process;
}

/** A person who read a death and closes it with one write. */
export async function closerStep(real: RealLifecycle, action: string): Promise<void> {
  if (action === 'reads the death') {
    real.closing = real.item();
    return;
  }
  if (!real.closing) throw new Error('a closer who has read nothing');
  const result = await closeDeath(real.closing, { by: 'walk', why: 'walk' }, real, RULES);
  const wanted = action === 'closes the death' ? 'closed' : 'changed';
  if (result !== wanted) throw new Divergence(`${action}: the closing ended as ${result}, not as ${wanted}`);
}

export async function operatorStep(
  real: RealLifecycle,
  me: number,
  from: Operator | undefined,
  action: string,
  to: Operator | undefined,
): Promise<void> {
  if (!from) {
    const item = real.item();
    if (!item) throw new Error('nothing to replay');
    const process = new SteppedProcess();
    real.operators[me] = process;
    // Without a new key the code also refuses what completed since it was read: a rule about `run`, which the model has not.
    const request = { replayId: `replay-${me}`, by: 'walk', why: 'walk', force: true, newKey: true };
    await process.start(() => replayEvent(item, request, real.ports(process), RULES));
    return expectBefore(process, 'replay', action, real);
  }
  const process = real.operators[me];
  if (!process) throw new Error('an operator without a process');
  await release(process, action, action.includes('reply lost') ? 'reply lost' : 'once');
  if (to?.step !== 'end') return expectBefore(process, to?.step ?? 'end', action, real);
  const ended = process.ended;
  if (!ended) throw notEnded(process, action);
  const kind = 'value' in ended ? (ended.value as { kind: string }).kind : 'error';
  const wanted = action === 'gets 409' ? 'refused' : action === 'marks' ? 'replayed' : 'error';
  if (kind !== wanted) throw new Divergence(`${action}: the replay ended as ${kind}, not as ${wanted}`);
}
