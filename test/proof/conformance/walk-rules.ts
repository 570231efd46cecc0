/** Names and configuration of the walks. */

import { type EventKey, toEventPk, toSourceId } from '#core/glossary.ts';
import type { ProcessRules } from '#core/inbound/process/process-ports.ts';
import { DEFAULT_TIMINGS, type Timings } from '#core/inbound/protocol/timings.ts';
import { generic } from '#providers/generic.ts';
import { resolvedSource } from '#test/kit/resolved-source.ts';
import { ATTEMPT_BUDGET, RESEND_CAP } from '#test/proof/model/lifecycle/lifecycle-state.ts';

export const EVENTS = 'events';
export const PAYLOADS = 'payloads';
export const EFFECTS = 'effects';
export const SECRET = 'whsec_of_the_conformance_walks';
const SOURCE = toSourceId('default');
export const PK = toEventPk(SOURCE, 'walk' as EventKey);
const FOR_EVER = 10 ** 12;
/** Waits of the handler and of the breaker: longer than a walk of clock ticks. */
export const WAIT_MS = 600_000;

/** The model's times have no numbers: what may happen at any moment is due at once, what must not happen is far. */
const TIMINGS: Timings = {
  ...DEFAULT_TIMINGS,
  ingestBudgetMs: FOR_EVER,
  recordBudgetMs: FOR_EVER,
  firstWatchMs: 0,
  replayWatchMs: 0,
  overdueMs: 0,
  resendWaitMs: 0,
  resendCapMs: 0,
  deathWatchMs: 0,
  resendLimit: RESEND_CAP,
  processTimeoutMs: WAIT_MS,
  deferLimitMs: FOR_EVER,
};
const RETRY = { attempts: ATTEMPT_BUDGET, baseSeconds: 600, capSeconds: 600 };

export const source = resolvedSource(SOURCE, generic, {
  unhandled: 'dead_letter',
  maxBodyBytes: 1_048_576,
  retry: RETRY,
});

export const RULES: ProcessRules = {
  timings: TIMINGS,
  retentionDays: 30,
  deadRetentionDays: 90,
  inlineLimitBytes: 65_536,
  sources: new Map([[SOURCE, source]]),
};
