/** Where the code must stand when the model is at a step. */
import type { Disposal } from '#core/inbound/process/process-ports.ts';
import type { RealLifecycle } from './real-lifecycle.ts';
import type { SteppedProcess, Way } from './stepped-process.ts';
import { source } from './walk-rules.ts';

/** Thrown when the real code does something else than the model. */
export class Divergence extends Error {}

/** Before which call a process stands when the model says it is at this step. */
const CALL_OF: Readonly<Record<string, string>> = {
  park: 'store.update',
  'park-breaker': 'store.update',
  upsert: 'store.insert',
  revive: 'store.update',
  run: 'handler',
  unclaimed: 'handler',
  claim: 'store.update',
  successor: 'queue.send',
  dlq: 'dead.send',
  done: 'store.update',
  'unsent-send': 'queue.send',
  'unsent-mark': 'store.update',
  'parked-send': 'queue.send',
  'parked-clear': 'store.update',
  'overdue-send': 'queue.send',
  'overdue-bump': 'store.update',
  unclaimable: 'store.update',
  'move-far': 'store.update',
  'remove-watch': 'store.update',
  replay: 'store.update',
  send: 'queue.send',
  mark: 'store.update',
};

export async function release(process: SteppedProcess, action: string, way: Way = 'once'): Promise<void> {
  if (process.before === undefined) throw notEnded(process, action);
  await process.release(way);
}

export function expectBefore(
  process: SteppedProcess | undefined,
  step: string,
  action: string,
  real: RealLifecycle,
): void {
  // Without attempts left the code writes the death itself and asks no handler.
  const spent = step === 'run' && (real.item()?.attempts ?? 0) > source.retry.attempts;
  const wanted = spent ? 'store.update' : CALL_OF[step];
  if (process?.before !== wanted) {
    throw new Divergence(`${action}: the model is at "${step}" (${wanted}), the code ${whereIs(process)}`);
  }
}

export function expectDisposal(process: SteppedProcess | undefined, kind: Disposal['kind'], action: string): void {
  const value = process?.ended && 'value' in process.ended ? (process.ended.value as Disposal) : undefined;
  if (value?.kind !== kind)
    throw new Divergence(`${action}: the code should ${kind} the message, it ${whereIs(process)}`);
}

export function notEnded(process: SteppedProcess, action: string): Divergence {
  return new Divergence(`${action}: the code ${whereIs(process)}`);
}

function whereIs(process: SteppedProcess | undefined): string {
  if (!process) return 'does not run';
  if (process.before !== undefined) return `is before ${process.before}`;
  if (!process.ended) return 'waits for something that is no step of the model';
  return 'error' in process.ended
    ? `ended with the error ${String(process.ended.error)}`
    : `ended with ${JSON.stringify(process.ended.value)}`;
}
