/** Middleware: prints the invocation's metrics once, whether the handler answered or threw. */
import type { MiddlewareObj } from '@middy/core';

export interface Flushable {
  flush(): void;
}

export function flushTelemetry(telemetry: Flushable): MiddlewareObj {
  const flush = (): void => telemetry.flush();
  return { after: flush, onError: flush };
}
