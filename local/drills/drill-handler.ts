/**
 * For drills and tests: does what the event's data says. Only the environment `drill` has it, and only somebody who holds
 * the secret of the source `default` can send it anything.
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

/** Where effects are counted: the variable that holds the table's name, and its partition key. */
export interface DrillTable {
  readonly table: string;
  readonly key: string;
}

/**
 * `behave`: `complete` (default), `throw` (each attempt, or the first `failTimes`), `die` (no retry), `sleep` (`ms`, where
 * there is `until` only before that time), `exit` (returns, and its process ends after `ms`). `needs`: a row of the table without which the event cannot be applied.
 */
export function drill({ table, key }: DrillTable): Handler {
  return async (event, context) => {
    const {
      behave = 'complete',
      ms,
      until,
      failTimes,
      needs,
    } = (event.payload as DrillPayload | undefined)?.data ?? {};
    if (behave === 'die') throw new PermanentError('asked to by the drill');
    const failures = typeof failTimes === 'number' ? failTimes : Number.POSITIVE_INFINITY;
    if (behave === 'throw' && context.attempt <= failures) {
      throw new Error(`asked to by the drill (attempt ${context.attempt})`);
    }
    // A moment after it returned: before its writes were committed, or behind that.
    if (behave === 'exit' && context.attempt === 1)
      void setTimeout(typeof ms === 'number' ? ms : 1).then(() => process.exit(1));
    const isSlow = behave === 'sleep' && (typeof until !== 'number' || context.startedAt < until);
    if (isSlow) await setTimeout(typeof ms === 'number' ? ms : 1_000, undefined, { signal: context.signal });
    const row = (name: string) => ({ table: handlerEnv(table), key: { [key]: `drill:${name}` } });
    // Refused, and the event dead at once, while the row is not there.
    const used = (name: string): EffectWrite => ({
      kind: 'update',
      ...row(name),
      add: { used: 1 },
      condition: exists(key),
    });
    context.transact([
      ...(typeof needs === 'string' ? [used(needs)] : []),
      { kind: 'update', ...row(event.id), add: { timesApplied: 1 } },
    ]);
    return done({ actionTaken: 'drilled' });
  };
}
