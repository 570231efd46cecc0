/** `outbound` of the baked configuration, as the rules want it. Only functions of the delivery stack read it. */
import { DAY_MS } from '#core/time.ts';
import { config } from './baked-config.ts';

if (config.outbound === undefined)
  throw new Error(`The environment ${config.environment} has no outbound in gateway.config.ts: deploy it again`);

export const outbound = config.outbound;
export const retentionMs = outbound.retentionDays * DAY_MS;
