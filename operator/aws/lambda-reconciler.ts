import { InvokeCommand, LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';
import type { ReconcileReport } from '#core/inbound/reconcile/reconcile-deliveries.ts';
import { MINUTE_MS } from '#core/time.ts';
import type { Reconciler } from '#operator/gateway.ts';
import { OperatorError } from '#operator/operator-error.ts';

/** The time limit of the function, and a little for the way. */
const ANSWER_MS = 15 * MINUTE_MS + 10_000;

/**
 * By the function `reconcile-providers`, as its schedule runs it. Asked once: a second run would overtake the first.
 * `functionName` throws where the stack has no such function.
 */
export function lambdaReconciler(settings: LambdaClientConfig, functionName: () => string): Reconciler {
  const requestHandler = { connectionTimeout: 3_000, requestTimeout: ANSWER_MS, throwOnRequestTimeout: true };
  const client = new LambdaClient({ ...settings, maxAttempts: 1, requestHandler });
  return {
    async run(source, dryRun) {
      const Payload = JSON.stringify({ source, dryRun });
      const answer = await client.send(new InvokeCommand({ FunctionName: functionName(), Payload }));
      const told: unknown = JSON.parse(answer.Payload?.transformToString() || 'null');
      if (answer.FunctionError === undefined && Array.isArray(told)) return told as ReconcileReport[];
      const { errorMessage = 'it answered without a report' } = (told ?? {}) as { errorMessage?: string };
      throw new OperatorError(
        `The function ${functionName()} failed for ${source}: ${errorMessage.slice(0, 300)}\nHow to read its log: holdfast runbook missing-deliveries`,
      );
    },
  };
}
