/** Middleware: a bug becomes a 500 that the provider retries, and a log line; never a reply that tells more. */
import type { MiddlewareObj } from '@middy/core';
import { refuse } from '#core/inbound/ingest/reply.ts';
import type { Telemetry } from '#core/ports.ts';
import { toApiReply } from '#lambdas/shared/api-event.ts';

export function replyToErrors(telemetry: Pick<Telemetry, 'log'>): MiddlewareObj {
  return {
    onError: request => {
      const { error } = request;
      telemetry.log('error', {
        stage: 'ingest',
        cause: 'internal_error',
        error: error instanceof Error ? error.message : String(error),
      });
      request.response = toApiReply(refuse('internal_error'));
    },
  };
}
