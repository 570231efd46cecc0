/** What a person writes in gateway.config.ts. Every optional key names its default; `resolveConfig` checks them all. */

import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import type { DomainConfig } from './domain-config.ts';
import type { EdgeConfig } from './edge-config.ts';
import type { OtlpConfig } from './otlp-config.ts';
import type { OutboundConfig } from './outbound-config.ts';
import type { ReconcileConfig } from './reconcile-config.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** All that `defineGateway` takes: what you receive, and where it runs. */
export interface GatewayConfig {
  /** By name: 1 to 40 lower-case letters, digits and inner hyphens. The name is the route: `/webhooks/<name>`. */
  readonly sources: Readonly<Record<string, SourceConfig>>;
  /** By name: `local`, `dev`, `staging`, `prod`, or your own (1 to 16 lower-case letters, digits and inner hyphens). */
  readonly environments: Readonly<Record<string, EnvironmentConfig>>;
  /**
   * Begins every name, e.g. `payments-holdfast-prod-data`. Under another, everything would begin empty. @when several
   * gateways in one account and region @default none: names begin with `holdfast`
   */
  readonly prefix?: string;
}

/** One source: who sends, and how its requests are judged, tried again and watched. */
export interface SourceConfig {
  /** Who sends. @when always */
  readonly provider: string | ProviderSpec;
  /**
   * What the provider's spec asks for, e.g. `{ webhookId: '…' }`. @when it asks for some (PayPal, Pub/Sub) @default
   * none
   */
  readonly settings?: Readonly<Record<string, string>>;
  /** What happens to an event without a handler. @when no type may be missed @default 'ignore' */
  readonly unhandled?: 'ignore' | 'dead_letter';
  /**
   * Of the route; at once twice as many, at most 5,000. More get 429. Above 1,000: docs/operate/scale.md. @when it
   * sends more, or must be bounded @default 1,000
   */
  readonly throttle?: number;
  /**
   * CIDR ranges, beside the signature; requests from elsewhere get 403. @when a provider signs nothing @default none
   */
  readonly allowList?: readonly string[];
  /** @when a partner wants another patience @default the environment's */
  readonly retry?: RetryConfig;
  /**
   * Use the body's hash as the event's id, where the provider does not sign its id. @when its events must not be run
   * twice @default false
   */
  readonly dedupOnBody?: boolean;
  /**
   * Keep headers and 16 KB of the last 20 refused requests of each cause, for three days. @when you may not keep these
   * bytes @default true
   */
  readonly quarantine?: boolean;
  /**
   * Tell when the structure of its events changes (docs/receive/changed-payloads.md). @when payloads change all the
   * time @default 'notice'
   */
  readonly schemaDrift?: 'notice' | 'off';
  /**
   * Up to five fields that find events (`events ls --where order=1234`): `{ order: '/data/object/metadata/order_id' }`.
   * Each costs a write unit per event. @when support asks by an order number @default none
   */
  readonly searchable?: Readonly<Record<string, string>>;
  /**
   * Ask the provider's API what it tried to deliver, and record what never arrived (docs/receive/missing-events.md).
   * @when no event of Stripe or GitHub may be missing @default off
   */
  readonly reconcile?: ReconcileConfig;
  /**
   * Make a secret for the provider's API (`holdfast/<environment>/<source>/api`), as `reconcile` does. @when handlers
   * ask that API @default false
   */
  readonly apiCredential?: boolean;
  /**
   * Minutes without an event until its alarm fires. `learned`: CloudWatch learns in two weeks how much is usual; about
   * $0.60 a month. @when you know its silences @default 'learned'; 'off' if `disposable`
   */
  readonly silence?: 'learned' | 'off' | number;
}

/** Settings that the code of a source gets as they are written, each with its default; `undefined`: absent. */
export const PASSED = {
  unhandled: 'ignore',
  allowList: undefined,
  dedupOnBody: false,
  quarantine: true,
  schemaDrift: undefined,
  searchable: undefined,
} as const satisfies { [K in keyof SourceConfig]?: SourceConfig[K] | undefined };

type PassedKey = keyof typeof PASSED;
type Defaulted = { [K in PassedKey]: (typeof PASSED)[K] extends undefined ? never : K }[PassedKey];
export type Passed = Required<Pick<SourceConfig, Defaulted>> & Pick<SourceConfig, Exclude<PassedKey, Defaulted>>;

/** By source and event type, e.g. `{ stripe: { 'invoice.*': ['arn:aws:sqs:eu-central-1:123456789012:invoices'] } }`. */
export type RoutesConfig = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** One deployment of the gateway, and what differs there. */
export interface EnvironmentConfig {
  /** The AWS account. @when there is a second one @default that of the credentials */
  readonly account?: string;
  /** @when there is a second one @default that of the profile */
  readonly region?: string;
  /**
   * Where providers send. @when you have a domain, or a provider signs the URL @default `domain`, else the API's own
   * URL
   */
  readonly publicUrl?: string;
  /**
   * A host of yours in front of the API (docs/operate/deploy.md). @when you want it without CloudFront @default the
   * API's own host
   */
  readonly domain?: DomainConfig;
  /**
   * What differs in sources, key by key, e.g. `{ paypal: { settings: { webhookId: '…' } } }`. @when an environment
   * differs @default none
   */
  readonly sources?: Readonly<Record<string, Partial<SourceConfig>>>;
  /**
   * Events sent on (docs/receive/routing.md): by source, then by type (a final `*` matches any rest), a list of ARNs,
   * https URLs or `outbound:<uid>`. @when events go on without code @default none
   */
  readonly routes?: RoutesConfig;
  /**
   * Webhooks to your customers (docs/understand/how-sending-works.md, docs/api/delivery.md). @when you send webhooks
   * @default none
   */
  readonly outbound?: OutboundConfig;
  /** Spans and metrics to OpenTelemetry (docs/operate/traces.md). @when you trace @default none */
  readonly otlp?: OtlpConfig;
  /**
   * CloudFront and AWS WAF in front of the API, with a limit per address (docs/operate/address-limit.md). @when a flood
   * must not cost you @default none
   */
  readonly edge?: EdgeConfig;
  /**
   * Stored events are deleted with the stacks. @when it is a preview environment @default true for `local`, `drill` and
   * `dev`, else false
   */
  readonly disposable?: boolean;
  /**
   * How long a finished event is kept, and a duplicate recognised. @when the law or late duplicates want more @default
   * 30
   */
  readonly retentionDays?: number;
  /** How long a dead letter is kept; at least `retentionDays`. @when dead letters wait for people longer @default 90 */
  readonly deadRetentionDays?: number;
  /**
   * Limit of an attempt. Thresholds of queue ages, and the time a message stays hidden, follow it. @when a handler
   * needs longer @default 30; 10 in `local`
   */
  readonly handlerTimeoutSeconds?: number;
  /** @when what handlers call is away longer @default 15 attempts, cap 6 h; 5 attempts, cap 5 s in `local` */
  readonly retry?: RetryConfig;
  /**
   * A message stays hidden for six process timeouts; a dead one is kept for 14 days. @when a database must be protected
   * @default every default
   */
  readonly queue?: Partial<QueueSettings>;
  /**
   * Who is told, by severity: `{ page: [{ pagerDuty: 'oncall' }], ticket: [{ slack: 'team' }] }`, or `'nobody'`
   * (docs/operate/alarms.md). @when before the first real event @default nobody: alarms show on the dashboard
   */
  readonly alarmTargets?: 'nobody' | Partial<Readonly<Record<Severity, readonly AlarmTarget[]>>>;
  /** `essential`: only what means lost or stuck events. @when it may cost less @default 'all' */
  readonly alarms?: 'all' | 'essential' | 'none';
  /**
   * A signed event a minute through the public URL: its latency is a metric, its absence a page. Your metrics leave it
   * out. @when it may cost less, or a preview needs it @default true unless `disposable`
   */
  readonly probe?: boolean;
  /**
   * Where alarms fire, by id, e.g. `{ 'process-slow': 5_000 }`: seconds, milliseconds, percent or events, as the
   * runbook says. @when an alarm fires too soon or too late @default the number of each alarm
   */
  readonly thresholds?: Readonly<Record<string, number>>;
  /** @when you look for a fault @default 'info' */
  readonly logLevel?: LogLevel;
  /** Log each first arrival: about $0.13 a million events. @when an auditor asks for it @default false */
  readonly logArrivals?: boolean;
  /** @when logs must live longer, or cost less @default 30; 3 in disposable environments */
  readonly logRetentionDays?: LogRetentionDays;
  /** Copies of ingest kept warm: about $4.40 a month each at 512 MB. @when bursts come after silence @default 0 */
  readonly ingestProvisionedConcurrency?: number;
  /**
   * Concurrent runs kept free for a function, and its maximum: `{ ingest: 200, process: 20 }`. The account keeps 100
   * for the rest; `process` needs `queue.maxConcurrency`. @when other functions share the account @default none
   */
  readonly reservedConcurrency?: Partial<Readonly<Record<'ingest' | 'process' | 'api', number>>>;
  /**
   * Of the same region, for tables, queues, bucket and secrets (docs/operate/deploy.md). @when your rules ask for one
   * @default keys that AWS owns
   */
  readonly encryptionKey?: string;
  /**
   * What `events`, `payloads`, the tables of sending and their indexes take at once. Each raise is billed once and
   * never lowered (docs/operate/scale.md). @when a launch starts faster than a new table takes @default what AWS gives
   */
  readonly warmWriteUnits?: number;
  /**
   * The API answers by IPv6, too. Not beside `edge`, which counts by address. An `allowList` needs ranges of both
   * kinds. @when a sender has IPv6 alone @default false
   */
  readonly ipv6?: boolean;
  /**
   * `{ percent, minutes }`: new versions get 1 to 99 percent of the calls for 5 to 60 minutes; a crash or timeout takes
   * them back (docs/operate/deploy.md). @when a bad deploy must meet few webhooks @default off
   */
  readonly canary?: CanaryConfig;
  /** Bounds every role. @when your account asks for one @default none */
  readonly permissionsBoundary?: string;
  /** Of every resource, beside `holdfast:environment`. @when costs are shown by tag @default none */
  readonly tags?: Readonly<Record<string, string>>;
}

/** How a new version of a function is put into service. */
export interface CanaryConfig {
  /** Of the calls, 1 to 99. */
  readonly percent: number;
  /** Until it gets all calls, 5 to 60. */
  readonly minutes: number;
}

export const LOG_RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365] as const;
type LogRetentionDays = (typeof LOG_RETENTION_DAYS)[number];

export const SEVERITIES = ['page', 'ticket', 'notice'] as const;
/** `page`: somebody is woken. `ticket`: within a working day. `notice`: dashboard and log only. */
export type Severity = (typeof SEVERITIES)[number];

/**
 * Who is told of an alarm (docs/operate/alarms.md): an e-mail address that confirms once; an https URL that gets what SNS
 * posts; a Slack channel or a PagerDuty service under a name of yours, whose URL or key is a secret of that name.
 */
export type AlarmTarget =
  | { readonly email: string }
  | { readonly https: string }
  | { readonly slack: string }
  | { readonly pagerDuty: string; readonly region?: 'us' | 'eu' };

/** How often and how long an event is tried again. */
export interface RetryConfig {
  /**
   * After the last one the event is a dead letter. @when what handlers call is away for longer @default 15; 5 in
   * `local`
   */
  readonly attempts?: number;
  /** Where the doubling of the waits ends. @when late attempts must come sooner @default 21,600; 5 in `local` */
  readonly capSeconds?: number;
}

/** Numbers of the work queue and of the process function's mapping. */
export interface QueueSettings {
  /** How long a message waits for its processor. @when a backlog may last longer @default 4 */
  readonly retentionDays: number;
  /** Messages per run. @when heavy handlers share one function's memory @default 10 */
  readonly batchSize: number;
  /** Parallel runs of the process function. @when a database takes less, or handlers more @default 20 */
  readonly maxConcurrency: number;
  /**
   * How long a batch waits for more messages. At 1M events a day, 1 saves about $0.80 per million, and delays handling
   * by up to a second. @when cost counts more than a second @default 0
   */
  readonly batchingWindowSeconds: number;
}

/**
 * Types the configuration as you write it; the values are checked by `resolveConfig`.
 * @example
 * export const gateway = defineGateway({
 *   sources: { stripe: { provider: 'stripe' } },
 *   environments: { local: {}, prod: { region: 'eu-central-1' } },
 * });
 */
export function defineGateway(config: GatewayConfig): GatewayConfig {
  return config;
}
