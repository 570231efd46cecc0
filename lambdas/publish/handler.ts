/** Wiring of `publish`: no secrets, and no way to endpoints. */
import { lazySchemaJudge } from '#adapters/json-schema/lazy-schema-judge.ts';
import { fanOutNow } from '#core/outbound/fan-out/fan-out-now.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { outbound, retentionMs } from '#lambdas/shared/outbound-config.ts';
import { publishingPorts } from '#lambdas/shared/outbound-stores.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { openTelemetry, serve } from '#lambdas/shared/serve.ts';
import { publishEnv } from './env.ts';
import { handlePublish } from './handle-publish.ts';

const env = readEnv(publishEnv);
const telemetry = openTelemetry();
const shared = { ...(await publishingPorts(env)).ports, telemetry };
const rules = { environment: config.environment, eventTypes: outbound.eventTypes, retentionMs };
const ports: Parameters<typeof handlePublish>[0] = {
  ...shared,
  judge: lazySchemaJudge(),
  fanOutNow: published => fanOutNow(shared, rules, published),
};

export const handler = serve(handlePublish(ports, rules), { telemetry });
