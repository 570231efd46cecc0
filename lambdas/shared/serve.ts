/** The handler of a function: one invocation, whose metrics and lines are printed once, whether it answered or threw. */
import middy, { type MiddlewareObj } from '@middy/core';
import type { Context } from 'aws-lambda';
import { oneInvocation } from '#adapters/lifetime.ts';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { given } from '#core/given.ts';
import { config } from './baked-config.ts';
import { type Flushable, flushTelemetry } from './flush-telemetry.ts';

/** `uncounted`: a source whose events are in the log and in no metric. */
export const openTelemetry = (uncounted?: string): EmfTelemetry =>
  new EmfTelemetry({ ...config, level: config.logLevel, ...given({ uncounted }) });

interface Around {
  readonly telemetry: Flushable;
  /** The work ends in time by itself: Middy's end of it, a moment before Lambda's, stays off. */
  readonly keepsTime?: true;
  /** Closer to the work than the printing: what it makes of an error is printed. */
  readonly inner?: MiddlewareObj;
}

export function serve<Event, Answer>(
  work: (event: Event, context: Context) => Promise<Answer>,
  { telemetry, keepsTime, inner }: Around,
): (event: Event, context: Context) => Promise<Answer> {
  const handler = middy(work, keepsTime ? { timeoutEarlyInMillis: 0 } : {});
  return oneInvocation(handler.use(flushTelemetry(telemetry)).use(inner ?? []));
}
