/**
 * Which handler runs for which event. The most exact entry wins: a named source before `*`, then the longest type.
 * Types without an entry follow the source's `unhandled` policy.
 */
import { defineHandlers } from 'holdfast';
import { logPush } from './github-push-log.ts';
import { recordPayment } from './payments-ledger.ts';

export const handlers = defineHandlers([
  { source: 'stripe', type: 'payment_intent.succeeded', handle: recordPayment },
  { source: 'default', type: 'payment_intent.succeeded', handle: recordPayment },
  { source: 'github', type: 'push', handle: logPush },
]);
