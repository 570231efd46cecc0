import { outboundApiEnv } from '#lambdas/shared/outbound-api-env.ts';

/** Environment of the `delivery-api` function, set by its construct. */
export const deliveryApiEnv = outboundApiEnv;
