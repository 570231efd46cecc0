import { Duration, Stack } from 'aws-cdk-lib';
import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnIntegration,
  CfnRoute,
  CorsHttpMethod,
  HttpApi,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { DEFAULT_THROTTLE } from '#core/config/defaults.ts';
import type { Throttle } from '#core/config/throttle.ts';
import { CONTACT_ROUTES, DELIVERY_ROUTES, PORTAL_TOKEN_ROUTES, PUBLISH_ROUTES } from '#core/outbound/api/api-routes.ts';
import { LINK_ROUTE, PAGE_ROUTES, PORTAL_ROUTES, publicRoute } from '#core/outbound/portal/portal-routes.ts';
import { acknowledge } from './acknowledge.ts';
import { keptLogs } from './kept-logs.ts';

const corsOf = (origins: readonly string[]) => ({
  allowOrigins: [...origins],
  allowMethods: [CorsHttpMethod.GET, CorsHttpMethod.POST, CorsHttpMethod.PATCH, CorsHttpMethod.DELETE],
  allowHeaders: ['authorization', 'content-type'],
  maxAge: Duration.hours(1),
});

const PUBLISH_TIMEOUT = Duration.seconds(12);
/** As long as API Gateway waits at most. */
const API_TIMEOUT = Duration.seconds(30);

export interface DeliveryApiProps {
  readonly name: string;
  readonly publish: IFunction;
  readonly deliveryApi: IFunction;
  readonly accessLogRetention: RetentionDays;
  /** Of each route. @default 1,000 a second, burst 2,000 */
  readonly throttle?: Throttle;
  /** The page and the API of customers, without IAM: they bring tokens. @default none */
  readonly portal?: { readonly function: IFunction; readonly origins: readonly string[]; readonly contacts: boolean };
  /** Delete the access log with the stack. @default false */
  readonly disposable?: boolean;
}

/**
 * The producer's API: every route with IAM, one integration and one permission for each of its functions. Below `/portal`,
 * where there is one, that of its customers.
 */
export class DeliveryApi extends Construct {
  readonly api: HttpApi;
  readonly accessLog: LogGroup;
  /** Without a final slash. */
  readonly url: string;

  constructor(scope: Construct, id: string, props: DeliveryApiProps) {
    super(scope, id);
    this.api = new HttpApi(this, 'Http', {
      description: 'Publishes webhooks to customers, and shows what became of them',
      createDefaultStage: false,
      apiName: props.name,
      ...(props.portal && props.portal.origins.length > 0 ? { corsPreflight: corsOf(props.portal.origins) } : {}),
    });
    this.url = this.api.apiEndpoint;
    this.accessLog = new LogGroup(this, 'AccessLog', {
      retention: props.accessLogRetention,
      ...keptLogs(props.disposable),
    });
    const publish = this.#addIntegration('Publish', props.publish, PUBLISH_TIMEOUT);
    const other = this.#addIntegration('Api', props.deliveryApi, API_TIMEOUT);
    for (const key of PUBLISH_ROUTES) this.#addRoute(key, publish);
    const off: readonly string[] = [
      ...(props.portal ? [] : PORTAL_TOKEN_ROUTES),
      ...(props.portal?.contacts ? [] : CONTACT_ROUTES),
    ];
    for (const key of DELIVERY_ROUTES) if (!off.includes(key)) this.#addRoute(key, other);
    const ofPortal = PORTAL_ROUTES.filter(key => !off.includes(key)).map(publicRoute);
    const links = props.portal?.contacts ? [LINK_ROUTE] : [];
    if (props.portal) this.#addPortal(props.portal.function, [...PAGE_ROUTES, ...links, ...ofPortal]);
    const throttle = props.throttle ?? DEFAULT_THROTTLE;
    new HttpStage(this, 'Stage', {
      httpApi: this.api,
      autoDeploy: true,
      throttle: { rateLimit: throttle.rate, burstLimit: throttle.burst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.accessLog),
        // No query string and no headers: both may carry a token.
        format: AccessLogFormat.custom(
          JSON.stringify({
            requestId: AccessLogField.contextRequestId(),
            caller: AccessLogField.contextIdentityUserArn(),
            route: AccessLogField.contextRouteKey(),
            status: AccessLogField.contextStatus(),
            latencyMs: AccessLogField.contextResponseLatency(),
            error: AccessLogField.contextErrorResponseType(),
          }),
        ),
      },
    });
  }

  #addIntegration(id: string, target: IFunction, timeout: Duration): CfnIntegration {
    const { apiId } = this.api;
    target.addPermission('FrontDoor', {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: Stack.of(this).formatArn({ service: 'execute-api', resource: apiId, resourceName: '*/*' }),
    });
    const integration = new CfnIntegration(this, `${id}Integration`, {
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

  #addPortal(portal: IFunction, routes: readonly string[]): void {
    const integration = this.#addIntegration('Portal', portal, API_TIMEOUT);
    for (const key of routes) {
      const route = this.#addRoute(key, integration, 'NONE');
      acknowledge(route, {
        id: 'AwsSolutions-APIG4',
        reason: key.includes('/v1/')
          ? 'A customer has no AWS identity: the function checks the token of every call before it does anything.'
          : key === LINK_ROUTE
            ? 'A link in a mail brings its own proof, which the function checks before it does anything.'
            : 'Everybody gets the same page; it holds nothing about any customer.',
      });
    }
  }

  #addRoute(routeKey: string, integration: CfnIntegration, authorizationType = 'AWS_IAM'): CfnRoute {
    return new CfnRoute(this, routeKey.replaceAll('/', ':'), {
      apiId: this.api.apiId,
      routeKey,
      target: `integrations/${integration.ref}`,
      authorizationType,
    });
  }

  /** All requests, or with `5xx` those that we failed. */
  metric(metricName: 'Count' | '5xx', options?: MetricOptions): Metric {
    const dimensionsMap = { ApiId: this.api.apiId };
    return new Metric({ namespace: 'AWS/ApiGateway', metricName, dimensionsMap, statistic: 'Sum', ...options });
  }
}
