/** Calls of the real session that fail for good: what the code does about them, and which step of the model that is. */
import type { Call, DrainSession } from './drain-session.ts';

/** Tried three times under the lease, once before it. */
const TRIES = 3;
const BEFORE_THE_LEASE: readonly Call[] = ['rows', 'lease'];

/** The step of the model, by the call that failed. Absent: the model has none. */
export const FAILS_AT: Readonly<Partial<Record<Call, RegExp>>> = {
  rows: /^gets an error at rows/,
  lease: /^gets an error at lease/,
  query: /^gives up at query/,
  look: /^gives up at look/,
  records: /^gives up at check/,
  end: /^gives up at check/,
  success: /^gives up at sent$/,
  failure: /^gives up at sent/,
  put: /^gives up at put/,
  delete: /^gives up at delete/,
  release: /^release fails, returns/,
  again: /^gets an error at recheck/,
};

/** The call fails as often as the code tries it: the session gives up, or has ended. */
export async function failForGood(session: DrainSession, call: Call): Promise<void> {
  const tries = BEFORE_THE_LEASE.includes(call) ? 1 : TRIES;
  for (let n = 0; n < tries; n++) await session.process.release('fails');
}
