/** Where messages to customers go, for a function with a route to them. */
import type { OutboundPlace } from '#adapters/targets/outbound-target.ts';
import { toCustomers } from '#core/inbound/routing/target.ts';
import { DAY_MS } from '#core/time.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { outboundRouteEnv } from './env.ts';

/** Undefined: no route leads to them, and the function has none of the variables. */
export function customers(bodiesBucket: string): OutboundPlace | undefined {
  if (config.outbound === undefined || !config.sources.some(toCustomers)) return undefined;
  const { REGISTRY_TABLE, OUTBOX_TABLE, JOBS_QUEUE_URL } = readEnv(outboundRouteEnv);
  const place = { registryTable: REGISTRY_TABLE, outboxTable: OUTBOX_TABLE, jobsQueueUrl: JOBS_QUEUE_URL };
  return { ...place, bodiesBucket, retentionMs: config.outbound.retentionDays * DAY_MS };
}
