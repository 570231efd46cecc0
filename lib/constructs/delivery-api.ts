import { AccessLogField } from 'aws-cdk-lib/aws-apigateway';
import { CorsHttpMethod, HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Throttle } from '#core/config/throttle.ts';
import { CONTACT_ROUTES, DELIVERY_ROUTES, PORTAL_TOKEN_ROUTES, PUBLISH_ROUTES } from '#core/outbound/api/api-routes.ts';
import { LINK_ROUTE, PAGE_ROUTES, PORTAL_ROUTES, publicRoute } from '#core/outbound/portal/portal-routes.ts';
import { acknowledge } from './acknowledge.ts';
import { addIntegration, addRoute, addStage, apiMetric } from './front-door.ts';
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
    this.accessLog = new LogGroup(this, 'AccessLog', keptLogs(props.accessLogRetention, props.disposable));
    const publish = addIntegration(this, 'Publish', props.publish, PUBLISH_TIMEOUT);
    const other = addIntegration(this, 'Api', props.deliveryApi, API_TIMEOUT);
    for (const key of PUBLISH_ROUTES) addRoute(this, key, publish, 'AWS_IAM');
    const off: readonly string[] = [
      ...(props.portal ? [] : PORTAL_TOKEN_ROUTES),
      ...(props.portal?.contacts ? [] : CONTACT_ROUTES),
    ];
    for (const key of DELIVERY_ROUTES) if (!off.includes(key)) addRoute(this, key, other, 'AWS_IAM');
    const ofPortal = PORTAL_ROUTES.filter(key => !off.includes(key)).map(publicRoute);
    const links = props.portal?.contacts ? [LINK_ROUTE] : [];
    if (props.portal) this.#addPortal(props.portal.function, [...PAGE_ROUTES, ...links, ...ofPortal]);
    // No query string and no headers: both may carry a token.
    addStage(this, props.throttle, {
      requestId: AccessLogField.contextRequestId(),
      caller: AccessLogField.contextIdentityUserArn(),
      route: AccessLogField.contextRouteKey(),
      status: AccessLogField.contextStatus(),
      latencyMs: AccessLogField.contextResponseLatency(),
      error: AccessLogField.contextErrorResponseType(),
    });
  }

  #addPortal(portal: IFunction, routes: readonly string[]): void {
    const integration = addIntegration(this, 'Portal', portal, API_TIMEOUT);
    for (const key of routes) {
      const route = addRoute(this, key, integration, 'NONE');
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

  /** All requests, or with `5xx` those that we failed. */
  metric(metricName: 'Count' | '5xx', options?: MetricOptions): Metric {
    return apiMetric(this, metricName, options);
  }
}
