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
   * Begins every name that the gateway gives (stacks, secrets, alarms, metrics): `payments-holdfast-prod-data`. Set once:
   * under another, everything would begin empty. @when several gateways in one account and region @default none: names
   * begin with `holdfast`
   */
  readonly prefix?: string;
}

/** One source: who sends, and how its requests are judged, tried again and watched. */
export interface SourceConfig {
  /** An id out of providers/, or a spec written here. @when always */
  readonly provider: string | ProviderSpec;
  /**
   * Values the provider's spec asks for, e.g. `{ webhookId: '…' }`. @when the provider asks for some (PayPal,
   * Pub/Sub) @default none
   */
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * What becomes of an event no handler is registered for. @when you must not miss a type that you have no handler
   * for @default 'ignore'
   */
  readonly unhandled?: 'ignore' | 'dead_letter';
  /**
   * Requests per second of the route, and at once twice as many (5,000 at the most);
   * beyond them API Gateway answers 429. Above 1,000 a second its events are spread over several keys of the indexes: readers ask as many
   * (docs/operate/scale.md). @when a source sends more than that, or its traffic must be bounded @default 1,000
   */
  readonly throttle?: number;
  /**
   * CIDR ranges; requests from elsewhere get 403. An addition to the signature, never instead. @when a provider signs
   * nothing @default none
   */
  readonly allowList?: readonly string[];
  /** @when a partner wants another patience @default the environment's */
  readonly retry?: RetryConfig;
  /**
   * Use the body's hash as the event's id, where the provider does not sign its id. @when a provider signs no id, and
   * its events must not be run twice @default false
   */
  readonly dedupOnBody?: boolean;
  /**
   * Keep headers and the first 16 KB of the last 20 refused requests of each cause, for three days. @when you may not
   * keep the bytes of refused requests @default true
   */
  readonly quarantine?: boolean;
  /**
   * Tell when the structure of its events changes (docs/receive/changed-payloads.md). @when payloads change all the
   * time @default 'notice'
   */
  readonly schemaDrift?: 'notice' | 'off';
  /**
   * Fields that events are found by (`events ls --where order=1234`), at most five, by name and place in the body: `{
   * order: '/data/object/metadata/order_id' }`. Each costs one write unit per event. @when support asks by an order
   * number @default none
   */
  readonly searchable?: Readonly<Record<string, string>>;
  /**
   * Ask the provider's API what it tried to deliver, and heal what never arrived. @when an event of Stripe or GitHub
   * that never arrived must be found @default off
   */
  readonly reconcile?: ReconcileConfig;
  /**
   * Make a secret for a credential of the provider's API (`holdfast/<environment>/<source>/api`) that handlers may
   * read. `reconcile` makes the same one for itself. @when your handlers ask the provider's API @default false
   */
  readonly apiCredential?: boolean;
  /**
   * Minutes: the longest normal silence, beyond which its alarm fires. `learned`: CloudWatch learns how much is usual
   * (two weeks) and the alarm fires far below it; about $0.60 a month. @when you know how long it may be silent, or
   * silence is normal @default 'learned' unless the environment is `disposable`
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
  /** Twelve digits. @when there is a second environment @default the account of the CLI's credentials */
  readonly account?: string;
  /** @when there is a second environment @default the region of the CLI's profile */
  readonly region?: string;
  /**
   * Origin of the URL given to providers, e.g. `https://hooks.example.com`. @when you have a domain, or a provider
   * signs the URL @default `domain`, else the API's own URL
   */
  readonly publicUrl?: string;
  /**
   * A host of yours in front of the API, e.g. `{ name: 'hooks.example.com', certificate: 'arn:aws:acm:…' }`
   * (docs/operate/deploy.md). @when you want a host of yours without CloudFront @default the API's own host
   */
  readonly domain?: DomainConfig;
  /**
   * Changes to sources in this environment, key by key, e.g. `{ paypal: { settings: { webhookId: '…' } } }`. @when an
   * environment differs in a source @default none
   */
  readonly sources?: Readonly<Record<string, Partial<SourceConfig>>>;
  /**
   * Events sent to targets instead of to a handler: by source, then by type (a final `*` matches any rest), a list of
   * ARNs (EventBridge bus, SQS queue, SNS topic, Lambda function, Step Functions state machine), https URLs, and
   * `outbound:<uid>` for the customer with that application. See docs/receive/routing.md. @when events go on without
   * code @default none
   */
  readonly routes?: RoutesConfig;
  /**
   * Webhooks to your customers' endpoints: `{}`, or see `OutboundConfig`. @when you send webhooks to your customers
   * @default nothing of it is deployed
   */
  readonly outbound?: OutboundConfig;
  /**
   * Spans and metrics to OpenTelemetry, e.g. `{ endpoint: 'https://otlp.example.com' }`. See docs/operate/traces.md.
   * @when you have a system for traces @default nothing of it is deployed
   */
  readonly otlp?: OtlpConfig;
  /**
   * CloudFront and AWS WAF before the front door, with a limit per source address. See docs/operate/address-limit.md.
   * @when anyone can reach the URL, and a flood must not cost you @default nothing of it is deployed
   */
  readonly edge?: EdgeConfig;
  /**
   * Stored events are deleted with the stacks. @when it is a preview environment @default true for `local`, `drill`
   * and `dev`, else false
   */
  readonly disposable?: boolean;
  /**
   * Runs on the local AWS: short waits, low thresholds, alarm minutes of ten seconds, and without what cannot be
   * deployed there (composite alarms). @when a test needs a local environment of another name @default true for
   * `local` and `drill` only
   */
  readonly emulated?: boolean;
  /**
   * Days a finished event is kept, which is the window for duplicates: 30 to 365. @when the law, or late duplicates,
   * want more @default 30
   */
  readonly retentionDays?: number;
  /** Days a dead letter is kept: `retentionDays` to 365. @when dead letters wait for people longer @default 90 */
  readonly deadRetentionDays?: number;
  /**
   * Seconds that one run of the process function may take: the limit of an attempt with its recording. Queue ages and
   * the time a message stays hidden follow it. @when a handler needs longer @default 30; 10 in `local`
   */
  readonly handlerTimeoutSeconds?: number;
  /** @when what your handlers call is away for longer @default 15 attempts, cap 6 h; 5 attempts, cap 5 s in `local` */
  readonly retry?: RetryConfig;
  /** @when handlers need a database protected, or a backlog lasts longer @default see `QueueSettings` */
  readonly queue?: Partial<QueueSettings>;
  /**
   * Who is told, by severity (`page`, `ticket`, `notice`), e.g. `{ page: [{ pagerDuty: 'oncall' }], ticket: [{ slack:
   * 'team' }] }`; `'nobody'` where that is meant. See docs/operate/alarms.md. Where data is kept, synth, deploy and
   * `doctor` say so until a page has a target. @when before the first real event @default nobody: alarms show on the
   * dashboard only
   */
  readonly alarmTargets?: 'nobody' | Partial<Readonly<Record<Severity, readonly AlarmTarget[]>>>;
  /** `essential`: only what means lost or stuck events. @when the environment may cost less @default 'all' */
  readonly alarms?: 'all' | 'essential' | 'none';
  /**
   * A signed event a minute through the public URL, whose latency is a metric and whose absence is a page. No metric of
   * yours counts it. @when you want less cost, or the probe in a
   * preview, too @default true unless `disposable`
   */
  readonly probe?: boolean;
  /**
   * Where an alarm fires, by its id, e.g. `{ 'process-slow': 5_000 }`: seconds, milliseconds, percent or events, as
   * its runbook says. Any alarm with a number of its own, of receiving and of sending. @when an alarm fires too soon
   * or too late for you @default the number of each alarm
   */
  readonly thresholds?: Readonly<Record<string, number>>;
  /** @when you look for a fault @default 'info' */
  readonly logLevel?: LogLevel;
  /**
   * Log each first arrival, too. About $0.13 a million events. @when an auditor asks for it
   * @default false
   */
  readonly logArrivals?: boolean;
  /**
   * One of the retentions CloudWatch Logs knows. @when logs must be kept longer, or cost less @default 30; 3 in
   * disposable environments
   */
  readonly logRetentionDays?: LogRetentionDays;
  /**
   * Ingest environments kept warm, billed by the hour (about $4.40 a month each at 512 MB). @when bursts come after
   * silence @default 0
   */
  readonly ingestProvisionedConcurrency?: number;
  /**
   * Concurrent runs kept free for a function, which are also the most it gets, e.g. `{ ingest: 200, process: 20 }`.
   * The account keeps 100 for the rest; `process` needs `queue.maxConcurrency`. @when other functions share the account @default none: all share the account's limit
   */
  readonly reservedConcurrency?: Partial<Readonly<Record<'ingest' | 'process' | 'api', number>>>;
  /**
   * ARN of a KMS key of yours, of the same region, for tables, queues, bucket and secrets (docs/operate/deploy.md).
   * @when your rules ask for a key of your own @default keys that AWS owns
   */
  readonly encryptionKey?: string;
  /**
   * Write units a second that `events`, `payloads`, the tables of sending and each of their indexes take at once,
   * 4,000 to 40,000. AWS bills the raise once, for each of them, and never lowers it (docs/operate/scale.md). @when a
   * launch or a catch-up starts faster than a new table takes @default what AWS gives
   */
  readonly warmWriteUnits?: number;
  /**
   * The API answers by IPv6, too. Not beside `edge`: a sender has as many addresses as it likes. An `allowList` needs
   * ranges of both kinds. @when a sender has IPv6 alone @default false
   */
  readonly ipv6?: boolean;
  /**
   * New versions get `percent` (1 to 99) of the calls for `minutes` (5 to 60); a crash or timeout takes them back
   * (docs/operate/deploy.md). @when a bad deploy must not meet every webhook @default off
   */
  readonly canary?: CanaryConfig;
  /** ARN of an IAM policy that bounds every role. @when your account asks for one @default none */
  readonly permissionsBoundary?: string;
  /**
   * Sends per second of the sweeper over all sources, in the 50 seconds of each minute that it works. With the SDK at
   * most 550: one core does no more (docs/operate/scale.md). @when a backlog of parked events must be sent faster
   * @default 300
   */
  readonly sweepSendsPerSecond?: number;
  /** Put on every resource beside `holdfast:environment`. @when costs are shown by tag @default none */
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
export type LogRetentionDays = (typeof LOG_RETENTION_DAYS)[number];

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
   * Attempts in all; after the last one the event is a dead letter. @when events must die sooner or later @default
   * 15; 5 in `local`
   */
  readonly attempts?: number;
  /**
   * Where the doubling of the waits ends, in seconds. @when late attempts must come sooner @default 21,600; 5 in
   * `local`
   */
  readonly capSeconds?: number;
}

/** Numbers of the work queue and of the process function's mapping. */
export interface QueueSettings {
  /** Days that a message waits for its processor, 4 to 13. @when a backlog may last longer than four days @default 4 */
  readonly retentionDays: number;
  /** Messages per invocation, 1 to 10. @when heavy handlers share one function's memory @default 10 */
  readonly batchSize: number;
  /** Parallel process invocations, 2 to 1,000. @when a database takes less, or more must run at once @default 20 */
  readonly maxConcurrency: number;
  /**
   * How long a batch waits for more messages, 0 to 10 seconds. At a few events a second, 1 makes a batch of one to a
   * batch of some: at 1M a day about $0.80 less per million, for up to a second more until an event is handled. @when
   * a few events a second, and cost counts more than a second @default 0
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
