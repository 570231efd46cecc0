import { AccessLogField } from 'aws-cdk-lib/aws-apigateway';
import {
  ApiMapping,
  type CfnApi,
  type CfnDomainName,
  type CfnIntegration,
  type CfnRoute,
  type CfnStage,
  DomainName,
  HttpApi,
  type HttpStage,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, LogGroup, MetricFilter, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { DomainConfig } from '#core/config/domain-config.ts';
import type { Throttle } from '#core/config/throttle.ts';
import { given } from '#core/given.ts';
import { API_ROUTES } from '#core/inbound/api/api-routes.ts';
import { acknowledge } from './acknowledge.ts';
import { addIntegration, addRoute, addStage, apiMetric } from './front-door.ts';
import { keptLogs } from './kept-logs.ts';
import { RouteThrottles } from './route-throttles.ts';

/** Two seconds more than the slowest ingest budget, so that the function answers, not the front door. */
const INGEST_TIMEOUT = Duration.seconds(12);
/** As long as API Gateway waits at most. */
const MANAGEMENT_TIMEOUT = Duration.seconds(30);

interface SourceRoute {
  /** e.g. `/webhooks/stripe` */
  readonly path: string;
  readonly methods: readonly string[];
  /** @default the API's own throttle */
  readonly throttle?: Throttle;
}

export interface IngestApiProps {
  readonly sources: readonly SourceRoute[];
  readonly ingest: IFunction;
  /** Answers `GET /health` for everybody, and the status API for callers with IAM rights. */
  readonly api: IFunction;
  readonly accessLogRetention: RetentionDays;
  /** Namespace of the metric that counts answers 429 in the access log. @default 'Holdfast/Edge' */
  readonly edgeNamespace?: string;
  /** Of each route that has none of its own. @default 1,000 a second, burst 2,000 */
  readonly throttle?: Throttle;
  /** @default the construct's path */
  readonly name?: string;
  /** A host of yours. @default the API's own alone */
  readonly domain?: DomainConfig;
  /** Addresses of both kinds, also of the domain. @default IPv4 */
  readonly ipv6?: boolean;
  /** Delete the access log with the stack. @default false */
  readonly disposable?: boolean;
}

/** By its path: older libraries of the CDK have no property for it. */
const DUAL = 'dualstack';

/** Everybody may ask for it, so nobody may ask often. The one route with settings in the template: it never goes. */
const HEALTH = 'GET /health';
const HEALTH_THROTTLE: Throttle = { rate: 50, burst: 100 };

/**
 * The front door: one explicit route per source, all of them with one integration and one permission. The id of a route
 * comes from its own key, and nothing they share from any of them: a source more or less changes its own routes only.
 */
export class IngestApi extends Construct {
  readonly api: HttpApi;
  readonly accessLog: LogGroup;
  /** Without a final slash. */
  readonly url: string;
  /** Where the DNS name of the domain has to lead. Absent: there is none. */
  readonly domainTarget: string | undefined;
  readonly #throttled: MetricFilter;

  constructor(scope: Construct, id: string, props: IngestApiProps) {
    super(scope, id);
    const { domain } = props;
    const isClosed = domain?.defaultEndpoint === 'closed';
    const api = new HttpApi(this, 'Http', {
      description: 'Receives webhooks, one route per source',
      createDefaultStage: false,
      ...(isClosed ? { disableExecuteApiEndpoint: true } : {}),
      ...given({ apiName: props.name }),
    });
    if (props.ipv6 === true) (api.node.defaultChild as CfnApi).addPropertyOverride('IpAddressType', DUAL);
    this.api = api;
    this.url = domain && isClosed ? `https://${domain.name}` : api.apiEndpoint;
    this.accessLog = new LogGroup(this, 'AccessLog', keptLogs(props.accessLogRetention, props.disposable));

    const ingest = addIntegration(this, 'Ingest', props.ingest, INGEST_TIMEOUT);
    const management = addIntegration(this, 'Api', props.api, MANAGEMENT_TIMEOUT);
    const throttles = new Map<string, { readonly route: CfnRoute; readonly throttle: Throttle }>();
    for (const source of props.sources) {
      for (const method of source.methods) {
        const key = `${method} ${source.path}`;
        const route = this.#addOpenRoute(key, ingest);
        if (source.throttle) throttles.set(key, { route, throttle: source.throttle });
      }
    }
    const health = this.#addOpenRoute(HEALTH, management);
    for (const key of API_ROUTES) addRoute(this, key, management, 'AWS_IAM');

    // No query string and no headers: both may carry a token. No text of an error: a quote in it would break the line's
    // JSON, for the metric filter below too. No time: each event of a log has its own.
    const stage = addStage(this, props.throttle, {
      requestId: AccessLogField.contextRequestId(),
      ip: AccessLogField.contextIdentitySourceIp(),
      route: AccessLogField.contextRouteKey(),
      status: AccessLogField.contextStatus(),
      latencyMs: AccessLogField.contextResponseLatency(),
      integrationMs: AccessLogField.contextIntegrationLatency(),
      bytes: AccessLogField.contextResponseLength(),
      error: AccessLogField.contextErrorResponseType(),
      integrationStatus: AccessLogField.contextIntegrationStatus(),
    });
    if (domain) this.domainTarget = this.#addDomain(domain, stage, props.ipv6);
    const cfnStage = stage.node.defaultChild as CfnStage;
    cfnStage.routeSettings = {
      // JSON to CloudFormation, so the names are CloudFormation's.
      [HEALTH]: { ThrottlingRateLimit: HEALTH_THROTTLE.rate, ThrottlingBurstLimit: HEALTH_THROTTLE.burst },
    };
    // API Gateway refuses settings of a route that does not exist yet.
    cfnStage.node.addDependency(health);
    if (throttles.size > 0) {
      new RouteThrottles(this, 'Throttles', { api, stage, throttles, logRetention: props.accessLogRetention });
    }
    // API Gateway has no metric of its own for requests it throttles.
    this.#throttled = new MetricFilter(this, 'Throttled', {
      logGroup: this.accessLog,
      filterPattern: FilterPattern.stringValue('$.status', '=', '429'),
      metricNamespace: props.edgeNamespace ?? 'Holdfast/Edge',
      metricName: 'Throttled',
      metricValue: '1',
    });
  }

  #addDomain({ name, certificate }: DomainConfig, stage: HttpStage, ipv6 = false): string {
    const domainName = new DomainName(this, 'Domain', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificate),
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    if (ipv6)
      (domainName.node.defaultChild as CfnDomainName).addPropertyOverride(
        'DomainNameConfigurations.0.IpAddressType',
        DUAL,
      );
    new ApiMapping(this, 'Mapping', { api: this.api, domainName, stage });
    return domainName.regionalDomainName;
  }

  #addOpenRoute(key: string, integration: CfnIntegration): CfnRoute {
    const route = addRoute(this, key, integration, 'NONE');
    acknowledge(route, {
      id: 'AwsSolutions-APIG4',
      reason:
        'Providers cannot sign in to API Gateway. A source is authenticated by its signature over the raw body, before anything is stored; /health tells the version and nothing else.',
    });
    return route;
  }

  /** All requests that reached a route. */
  metricRequests(options?: MetricOptions): Metric {
    return apiMetric(this, 'Count', options);
  }
  /** Answers 500 to 599. */
  metricServerErrors(options?: MetricOptions): Metric {
    return apiMetric(this, '5xx', options);
  }
  /** Answers 400 to 499. */
  metricClientErrors(options?: MetricOptions): Metric {
    return apiMetric(this, '4xx', options);
  }
  /** Answers 429, given by API Gateway itself. */
  metricThrottled(options?: MetricOptions): Metric {
    return this.#throttled.metric({ statistic: 'Sum', ...options });
  }
  /** Time until the answer, as the provider sees it without the network. */
  metricLatency(options?: MetricOptions): Metric {
    return apiMetric(this, 'Latency', { statistic: 'p99', ...options });
  }
}
