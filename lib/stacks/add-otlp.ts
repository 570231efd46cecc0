import { FilterPattern, SubscriptionFilter } from 'aws-cdk-lib/aws-logs';
import { LambdaDestination } from 'aws-cdk-lib/aws-logs-destinations';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Deployment } from '#core/config/deployment.ts';
import { otlpSecretName } from '#core/config/otlp-config.ts';
import { otlpEnv } from '#lambdas/otlp/env.ts';
import type { EnvContract, FunctionSettings, GatewayFunction } from '../constructs/gateway-function.ts';
import { grantSecret } from '../constructs/source-secrets.ts';

/**
 * The function that sends spans and metrics to OpenTelemetry. It reads them out of the logs of the others, so that none of
 * them waits for a collector. Undefined: not configured.
 */
export function addOtlp(
  scope: Construct,
  { config }: Deployment,
  watched: readonly GatewayFunction<EnvContract>[],
  addFunction: (settings: FunctionSettings<typeof otlpEnv>) => GatewayFunction<typeof otlpEnv>,
): GatewayFunction<typeof otlpEnv> | undefined {
  if (config.otlp === undefined) return undefined;
  const added = addFunction({
    description: 'Sends spans and metrics out of the logs to OpenTelemetry',
    contract: otlpEnv,
    environment: {},
    timeout: Duration.seconds(30),
    onFailure:
      'Lambda tries twice more. What is lost then is a copy: CloudWatch has the metrics, the log has the lines.',
  });
  grantSecret(added, otlpSecretName(config));
  const destination = new LambdaDestination(added.function);
  const filterPattern = FilterPattern.literal('{ ($._aws.Timestamp > 0) || ($.span_id = "*") }');
  for (const { logGroup, node } of watched)
    new SubscriptionFilter(scope, `Otlp${node.id}`, { logGroup, destination, filterPattern });
  return added;
}
