/** Middleware: prints the invocation's metrics once, whether the handler answered or threw, and where it threw. */
import type { MiddlewareObj } from '@middy/core';
import { stackReader } from '#adapters/stacks/lazy-stack-reader.ts';
import type { Telemetry } from '#core/ports.ts';

export interface Flushable extends Pick<Telemetry, 'log'> {
  flush(): void;
}

export function flushTelemetry(telemetry: Flushable): MiddlewareObj {
  return {
    after: () => telemetry.flush(),
    async onError({ error }) {
      if (error) {
        const { frames } = await stackReader.read(error);
        // Without its message, which may say anything: Lambda's own line of it has it where it leaves the function.
        telemetry.log('error', { stage: 'crashed', error: error.name, stack: frames });
      }
      telemetry.flush();
    },
  };
}
