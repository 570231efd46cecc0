/** Calls of a provider's API at a set rate, with a bounded patience for what passes by itself. */
import { DependencyError } from '#core/errors.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { Clock, Timer } from '#core/ports.ts';
import { waitMs } from '#core/retry/judge-http-answer.ts';
import type { ApiAnswer } from './delivery-api.ts';

/** No answer that can be used. `cause` is a word for logs and metrics, `reason` says more. */
interface GaveUp {
  readonly kind: 'gave_up';
  readonly cause: 'busy' | 'refused' | 'unavailable' | 'out_of_time';
  readonly reason: string;
}

export type Asked<T> = Extract<ApiAnswer<T>, { kind: 'answered' | 'gone' }> | GaveUp;

/** Waits in one run, for rate limits and failures together. */
const MAX_WAITS = 5;
const BUSY_MS = 30_000;
const FIRST_RETRY_MS = 1_000;

/** One per run: its pace and its patience are for all calls together. */
export function patientCaller(
  { clock, timer }: { readonly clock: Clock; readonly timer: Pick<Timer, 'sleep'> },
  until: EpochMs,
  callsPerSecond: number,
) {
  const intervalMs = 1_000 / callsPerSecond;
  /** A length, not a time: a clock that goes back must not make it longer. */
  let pauseMs = 0;
  let waits = 0;
  return async <T>(call: () => Promise<ApiAnswer<T>>): Promise<Asked<T>> => {
    for (;;) {
      if (clock.now() + pauseMs >= until) return gaveUp('out_of_time', 'no time is left');
      if (pauseMs > 0) await timer.sleep(pauseMs);
      const startedAt = clock.now();
      const answer = await attempt(call);
      const tookMs = Math.max(0, clock.now() - startedAt);
      pauseMs = Math.max(0, intervalMs - tookMs);
      if (answer.kind === 'answered' || answer.kind === 'gone') return answer;
      if (answer.kind === 'refused') return gaveUp('refused', answer.reason);
      const failed = answer.kind === 'failed';
      const reason = failed ? answer.reason : 'the provider asks to come back later';
      const ownMs = failed ? FIRST_RETRY_MS * 4 ** waits : BUSY_MS;
      const nextMs = waitMs(ownMs, failed ? undefined : (answer.retryAfterSeconds ?? 0) * 1_000);
      waits += 1;
      if (waits > MAX_WAITS || clock.now() + nextMs >= until) return gaveUp(failed ? 'unavailable' : 'busy', reason);
      pauseMs = Math.max(nextMs, pauseMs);
    }
  };
}

async function attempt<T>(
  call: () => Promise<ApiAnswer<T>>,
): Promise<ApiAnswer<T> | { readonly kind: 'failed'; readonly reason: string }> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error;
    return { kind: 'failed', reason: error.message };
  }
}

function gaveUp(cause: GaveUp['cause'], reason: string): GaveUp {
  return { kind: 'gave_up', cause, reason };
}
