/** Wiring of `delivery-api`: everything a producer may do but publishing. */
import { outboundApi, rulesOf } from '#lambdas/shared/outbound-api.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { serve } from '#lambdas/shared/serve.ts';
import { deliveryApiEnv } from './env.ts';
import { handleDeliveryCall } from './handle-delivery-call.ts';

const env = readEnv(deliveryApiEnv);
const { ports, telemetry, refresh } = await outboundApi(env);
const answer = handleDeliveryCall(ports, ownHost => rulesOf(ownHost, env.API_URL));

export const handler = serve(answer, { telemetry, inner: refresh });
