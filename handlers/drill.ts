/**
 * For drills and tests: does what the event's data says. `drill.*` events of the source `default` can only be sent by
 * somebody who holds that source's secret. Remove the entry in handlers/index.ts if you do not want it.
 */
import { setTimeout } from 'node:timers/promises';
import { done, type Handler, PermanentError } from '#core/inbound/handler-contract.ts';
import { handlerEnv } from './handler-env.ts';

interface DrillPayload {
  readonly data?: { readonly behave?: unknown; readonly ms?: unknown; readonly failTimes?: unknown };
}

/** `behave`: `complete` (default), `throw` (each attempt, or the first `failTimes`), `die` (no retry), `sleep` (`ms`). */
export const drill: Handler = async (event, context) => {
  const { behave = 'complete', ms, failTimes } = (event.payload as DrillPayload | undefined)?.data ?? {};
  if (behave === 'die') throw new PermanentError('asked to by the drill');
  if (behave === 'throw' && context.attempt <= (typeof failTimes === 'number' ? failTimes : Number.POSITIVE_INFINITY)) {
    throw new Error(`asked to by the drill (attempt ${context.attempt})`);
  }
  if (behave === 'sleep') await setTimeout(typeof ms === 'number' ? ms : 1_000, undefined, { signal: context.signal });
  context.transact([
    {
      kind: 'update',
      table: handlerEnv('PAYMENTS_TABLE'),
      key: { paymentId: `drill:${event.id}` },
      add: { timesApplied: 1 },
    },
  ]);
  return done({ actionTaken: 'drilled' });
};
