import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CfnStage,
  HttpApi,
  type HttpMethod,
  type HttpRoute,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, LogGroup, MetricFilter, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Throttle } from '#core/config/gateway-config.ts';
import { API_ROUTES } from '#core/inbound/api/api-routes.ts';

/** Two seconds more than the slowest ingest budget, so that the function answers, not the front door. */
const INGEST_TIMEOUT = Duration.seconds(12);

interface SourceRoute {
  /** e.g. `/webhooks/stripe` */
  readonly path: string;
  readonly methods: readonly string[];
  readonly throttle: Throttle;
}

export interface IngestApiProps {
  readonly sources: readonly SourceRoute[];
  readonly ingest: IFunction;
  /** Answers `GET /health` for everybody, and the status API for callers with IAM rights. */
  readonly api: IFunction;
  readonly accessLogRetention: RetentionDays;
  /** Namespace of the metric that counts answers 429 in the access log. @default 'Holdfast/Edge' */
  readonly edgeNamespace?: string;
  /** For the routes that are not sources. @default 50 a second, burst 100 */
  readonly managementThrottle?: Throttle;
  /** Delete the access log with the stack. @default false */
  readonly disposable?: boolean;
}

/** The front door: one explicit route per source, each with its own throttle. */
export class IngestApi extends Construct {
  readonly api: HttpApi;
  readonly accessLog: LogGroup;
  /** Without a final slash. */
  readonly url: string;
  private readonly throttled: MetricFilter;

  constructor(scope: Construct, id: string, props: IngestApiProps) {
    super(scope, id);
    const api = new HttpApi(this, 'Http', {
      description: 'Receives webhooks, one route per source',
      createDefaultStage: false,
    });
    this.api = api;
    this.url = api.apiEndpoint;
    this.accessLog = new LogGroup(this, 'AccessLog', {
      retention: props.accessLogRetention,
      removalPolicy: props.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });

    // One permission for all routes: sixty would pass the 20 KB limit of a function's policy.
    const ingest = new HttpLambdaIntegration('Ingest', props.ingest, {
      scopePermissionToRoute: false,
      timeout: INGEST_TIMEOUT,
    });
    const management = new HttpLambdaIntegration('Api', props.api, { scopePermissionToRoute: false });
    const routes: HttpRoute[] = [];
    const settings: Record<string, unknown> = {};
    for (const source of props.sources) {
      const methods = source.methods as HttpMethod[];
      routes.push(...api.addRoutes({ path: source.path, methods, integration: ingest }));
      for (const method of methods) {
        settings[`${method} ${source.path}`] = {
          // JSON to CloudFormation, so the names are CloudFormation's.
          ThrottlingRateLimit: source.throttle.rate,
          ThrottlingBurstLimit: source.throttle.burst,
        };
      }
    }
    const get = 'GET' as HttpMethod;
    routes.push(...api.addRoutes({ path: '/health', methods: [get], integration: management }));
    for (const route of routes) {
      Validations.of(route).acknowledge({
        id: 'AwsSolutions-APIG4',
        reason:
          'Providers cannot sign in to API Gateway. A source is authenticated by its signature over the raw body, before anything is stored; /health tells the version and nothing else.',
      });
    }
    const authorizer = new HttpIamAuthorizer();
    for (const route of API_ROUTES) {
      const [method = '', path = ''] = route.split(' ');
      const methods = [method as HttpMethod];
      routes.push(...api.addRoutes({ path, methods, integration: management, authorizer }));
    }

    const throttle = props.managementThrottle ?? { rate: 50, burst: 100 };
    const stage = new HttpStage(this, 'Stage', {
      httpApi: api,
      autoDeploy: true,
      throttle: { rateLimit: throttle.rate, burstLimit: throttle.burst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.accessLog),
        // No query string and no headers: both may carry a token. No time: each event of a log has its own.
        format: AccessLogFormat.custom(
          JSON.stringify({
            requestId: AccessLogField.contextRequestId(),
            ip: AccessLogField.contextIdentitySourceIp(),
            route: AccessLogField.contextRouteKey(),
            status: AccessLogField.contextStatus(),
            latencyMs: AccessLogField.contextResponseLatency(),
            integrationMs: AccessLogField.contextIntegrationLatency(),
            bytes: AccessLogField.contextResponseLength(),
            error: AccessLogField.contextErrorMessage(),
            integrationError: AccessLogField.contextIntegrationErrorMessage(),
          }),
        ),
      },
    });
    // API Gateway has no metric of its own for requests it throttles.
    this.throttled = new MetricFilter(this, 'Throttled', {
      logGroup: this.accessLog,
      filterPattern: FilterPattern.stringValue('$.status', '=', '429'),
      metricNamespace: props.edgeNamespace ?? 'Holdfast/Edge',
      metricName: 'Throttled',
      metricValue: '1',
    });
    const cfnStage = stage.node.defaultChild as CfnStage;
    // The L2 has no per-route throttle. API Gateway refuses settings of a route that does not exist yet.
    cfnStage.routeSettings = settings;
    for (const route of routes) cfnStage.node.addDependency(route);
  }

  private metric(metricName: string, statistic: string, options?: MetricOptions): Metric {
    return new Metric({
      namespace: 'AWS/ApiGateway',
      metricName,
      dimensionsMap: { ApiId: this.api.apiId },
      statistic,
      ...options,
    });
  }
  /** All requests that reached a route. */
  metricRequests(options?: MetricOptions): Metric {
    return this.metric('Count', 'Sum', options);
  }
  /** Answers 500 to 599. */
  metricServerErrors(options?: MetricOptions): Metric {
    return this.metric('5xx', 'Sum', options);
  }
  /** Answers 400 to 499. */
  metricClientErrors(options?: MetricOptions): Metric {
    return this.metric('4xx', 'Sum', options);
  }
  /** Answers 429, given by API Gateway itself. */
  metricThrottled(options?: MetricOptions): Metric {
    return this.throttled.metric({ statistic: 'Sum', ...options });
  }
  /** Time until the answer, as the provider sees it without the network. */
  metricLatency(options?: MetricOptions): Metric {
    return this.metric('Latency', 'p99', options);
  }
}
