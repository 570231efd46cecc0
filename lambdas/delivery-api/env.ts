import { outboundApiEnv } from '#lambdas/shared/outbound-api-env.ts';
import { text } from '#lambdas/shared/read-env.ts';

/** Environment of the `delivery-api` function, set by its construct. */
export const deliveryApiEnv = {
  ...outboundApiEnv,
  /** Where the portal is, unless the configuration says another address. */
  API_URL: text,
};
