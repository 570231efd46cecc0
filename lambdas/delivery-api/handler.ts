/** Wiring of `delivery-api`: everything a producer may do but publishing. */
import middy from '@middy/core';
import { oneInvocation } from '#adapters/lifetime.ts';
import { flushTelemetry } from '#lambdas/shared/flush-telemetry.ts';
import { outboundApi, rulesOf } from '#lambdas/shared/outbound-api.ts';
import { environment } from '#lambdas/shared/process-environment.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { deliveryApiEnv } from './env.ts';
import { handleDeliveryCall } from './handle-delivery-call.ts';

const { ports, telemetry, refresh } = await outboundApi(readEnv(deliveryApiEnv, environment));

export const handler = oneInvocation(
  middy(handleDeliveryCall(ports, rulesOf)).use(refresh).use(flushTelemetry(telemetry)),
);
