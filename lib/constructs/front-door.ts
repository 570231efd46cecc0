/** What both HTTP APIs have in common: integrations, routes, a stage with an access log. */
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnIntegration,
  CfnRoute,
  type HttpApi,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { type Duration, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { DEFAULT_THROTTLE } from '#core/config/defaults.ts';
import type { Throttle } from '#core/config/throttle.ts';

/** One for all routes of a function, and one permission: sixty would pass the 20 KB limit of a function's policy. */
export function addIntegration(
  scope: Construct & { readonly api: HttpApi },
  id: string,
  target: IFunction,
  timeout: Duration,
): CfnIntegration {
  const { apiId } = scope.api;
  target.addPermission('FrontDoor', {
    principal: new ServicePrincipal('apigateway.amazonaws.com'),
    sourceArn: Stack.of(scope).formatArn({ service: 'execute-api', resource: apiId, resourceName: '*/*' }),
  });
  const integration = new CfnIntegration(scope, `${id}Integration`, {
    apiId,
    integrationType: 'AWS_PROXY',
    integrationUri: target.functionArn,
    payloadFormatVersion: '2.0',
    timeoutInMillis: timeout.toMilliseconds(),
  });
  // Where it leads to an alias now, or no longer: a moment without the permission would be answers 500.
  integration.node.addDependency(target.node.findChild('FrontDoor'));
  return integration;
}

export function addRoute(
  scope: Construct & { readonly api: HttpApi },
  routeKey: string,
  integration: CfnIntegration,
  authorizationType: 'NONE' | 'AWS_IAM',
): CfnRoute {
  return new CfnRoute(scope, routeKey.replaceAll('/', ':'), {
    apiId: scope.api.apiId,
    routeKey,
    target: `integrations/${integration.ref}`,
    authorizationType,
  });
}

/** Of all routes together. */
export const apiMetric = (
  { api }: { readonly api: HttpApi },
  metricName: 'Count' | 'Latency' | '4xx' | '5xx',
  options?: MetricOptions,
): Metric => {
  const dimensionsMap = { ApiId: api.apiId };
  return new Metric({ namespace: 'AWS/ApiGateway', metricName, dimensionsMap, statistic: 'Sum', ...options });
};

/** `fields`: of each line of the access log. */
export function addStage(
  scope: Construct & { readonly api: HttpApi; readonly accessLog: LogGroup },
  { rate, burst }: Throttle = DEFAULT_THROTTLE,
  fields: Readonly<Record<string, string>>,
): HttpStage {
  return new HttpStage(scope, 'Stage', {
    httpApi: scope.api,
    autoDeploy: true,
    throttle: { rateLimit: rate, burstLimit: burst },
    accessLogSettings: {
      destination: new LogGroupLogDestination(scope.accessLog),
      format: AccessLogFormat.custom(JSON.stringify(fields)),
    },
  });
}
