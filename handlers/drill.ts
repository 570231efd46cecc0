/**
 * For drills and tests: does what the event's data says. `drill.*` events of the source `default` can only be sent by
 * somebody who holds that source's secret. Remove the entry in handlers/index.ts if you do not want it.
 */
import { setTimeout } from 'node:timers/promises';
import { done, type EffectWrite, exists, type Handler, handlerEnv, PermanentError } from 'holdfast';

interface DrillPayload {
  readonly data?: {
    readonly behave?: unknown;
    readonly ms?: unknown;
    readonly until?: unknown;
    readonly failTimes?: unknown;
    readonly needs?: unknown;
  };
}

/**
 * `behave`: `complete` (default), `throw` (each attempt, or the first `failTimes`), `die` (no retry), `sleep` (`ms`, where
 * there is `until` only before that time). `needs`: a row of the payments table without which the event cannot be applied.
 */
export const drill: Handler = async (event, context) => {
  const { behave = 'complete', ms, until, failTimes, needs } = (event.payload as DrillPayload | undefined)?.data ?? {};
  if (behave === 'die') throw new PermanentError('asked to by the drill');
  if (behave === 'throw' && context.attempt <= (typeof failTimes === 'number' ? failTimes : Number.POSITIVE_INFINITY)) {
    throw new Error(`asked to by the drill (attempt ${context.attempt})`);
  }
  const isSlow = behave === 'sleep' && (typeof until !== 'number' || context.startedAt < until);
  if (isSlow) await setTimeout(typeof ms === 'number' ? ms : 1_000, undefined, { signal: context.signal });
  context.transact([
    ...(typeof needs === 'string' ? [useRow(needs)] : []),
    {
      kind: 'update',
      table: handlerEnv('PAYMENTS_TABLE'),
      key: { paymentId: `drill:${event.id}` },
      add: { timesApplied: 1 },
    },
  ]);
  return done({ actionTaken: 'drilled' });
};

/** Refused, and the event dead at once, while the row is not there. */
function useRow(name: string): EffectWrite {
  const key = { paymentId: `drill:${name}` };
  return { kind: 'update', table: handlerEnv('PAYMENTS_TABLE'), key, add: { used: 1 }, condition: exists('paymentId') };
}
