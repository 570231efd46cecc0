/** Middleware: prints the invocation's metrics once, whether the handler answered or threw, and where it threw. */
import type { MiddlewareObj } from '@middy/core';
import { takeClockDifference } from '#adapters/aws/clock-difference.ts';
import { stackReader } from '#adapters/stacks/lazy-stack-reader.ts';
import type { Telemetry } from '#core/ports.ts';

export interface Flushable extends Pick<Telemetry, 'log' | 'measure'> {
  flush(): void;
}

export function flushTelemetry(telemetry: Flushable): MiddlewareObj {
  const flush = (): void => {
    const apartMs = takeClockDifference();
    if (apartMs !== undefined) telemetry.measure('ClockDifference', apartMs / 1_000);
    telemetry.flush();
  };
  return {
    after: flush,
    async onError({ error }) {
      if (error) {
        const { frames } = await stackReader.read(error);
        // Without its message, which may say anything: Lambda's own line of it has it where it leaves the function.
        telemetry.log('error', { stage: 'crashed', error: error.name, stack: frames });
      }
      flush();
    },
  };
}
