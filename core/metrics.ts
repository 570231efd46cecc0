/**
 * Every metric of the product: one name for the code that emits it, the alarm that watches it and the dashboard that
 * shows it, and the exact sets of dimensions it is published under: CloudWatch finds a metric only by a whole set.
 */
export const METRIC_NAMESPACE = 'Holdfast';

/** All low-cardinality: an event id is never a dimension. `environment` is in every set. */
type MetricDimension = 'environment' | 'source' | 'cause' | 'class';

const PER_ENVIRONMENT = [['environment']] as const;
const PER_SOURCE = [['environment', 'source']] as const;
const BOTH = [['environment'], ['environment', 'source']] as const;

/** Published under more than the environment. */
const DETAILED = {
  /** Ingest: genuine events, for the first time. */
  Accepted: PER_SOURCE,
  /** Ingest: genuine events that were accepted before. */
  Duplicate: PER_SOURCE,
  // Over all sources, too: an alarm takes ten metrics.
  /** Ingest: requests refused before anything was stored. */
  RequestRefused: [
    ['environment', 'source', 'cause'],
    ['environment', 'cause'],
  ],
  /** Sweep: how long a source that had successes has only been refused. */
  RefusedOnlyFor: PER_SOURCE,
  /** Ingest: known event ids with other bytes. */
  PayloadMismatch: PER_SOURCE,
  /** Ingest: verified by the previous secret only. */
  PreviousSecretMatched: PER_SOURCE,
  /** Any function: services that failed or did not answer in time. */
  DependencyError: PER_ENVIRONMENT,

  /** Process: claims that ran a handler. */
  Attempts: BOTH,
  /** Process: of these, failed ones. */
  AttemptsFailed: BOTH,
  // These two have the sets of `Attempts`, though only one of each is read: another set is another directive in the line of
  // each event, whose bytes cost more.
  /** Process: from accepted to done, first attempts only. */
  ProcessingLatency: BOTH,
  /** Process: events whose handler is done. */
  Completed: BOTH,
  /** Process: not run: a newer state was handled. */
  SkippedStale: PER_SOURCE,
  /** Process: events without a handler, or ignored by it. */
  Ignored: PER_SOURCE,
  /** Process: events that a handler rejected. */
  Rejected: PER_SOURCE,
  /** Process: events that died. */
  DeadLettered: PER_ENVIRONMENT,
  /** Process: payloads with a new structure. */
  SchemaChanged: BOTH,
  /** Process: payloads that broke their handler's schema. */
  SchemaMismatch: PER_SOURCE,

  /** Reconcile providers: events that only the provider has. */
  ReconcileGaps: BOTH,
  /** Reconcile providers: of these, fetched and recorded. */
  ReconcileHealed: PER_SOURCE,
  /** Reconcile providers: age of the oldest delivery not compared yet. */
  ReconcileLag: PER_SOURCE,
  /** Drain: requests to endpoints, by the class of their answer. */
  DeliveryAttempts: [['environment'], ['environment', 'class']],
} as const satisfies Readonly<Record<string, readonly (readonly MetricDimension[])[]>>;

/** Published under the environment alone. Only their names' types are needed to emit them: a cold start reads none of it. */
const OF_ENVIRONMENT = [
  /** Ingest: accepted by the queue alone, because the table did not answer. */
  'UnrecordedAccepted',
  /** Any function: how far its clock is off, from three seconds. */
  'ClockDifference',
  /** Process: attempts after an event's first; not emitted when zero. */
  'Retries',
  /** Process: finishes refused, because another run owns the event. */
  'LeaseLost',

  /** Sweep: runs; absence is the alarm. */
  'SweeperRuns',
  /** Sweep: events sent to the queue again. */
  'SweeperResent',
  /** Sweep: first conflict of a source. */
  'NewConflict',
  /** Sweep: first event of a source that was too old. */
  'NewTooOld',
  /** Sweep: handlers that only fail. */
  'NewFailingHandler',
  /** Sweep: age of the oldest recorded event never sent. */
  'UnsentOldestAge',
  /** Sweep: how overdue the most overdue event is, parked ones apart. */
  'UnfinishedOldestAge',
  /** Sweep: dead letters not replayed or redriven; too many for one run: at least the last whole count. */
  'OpenDeadLetters',
  /** Sweep: time until the oldest message of the dead-letter queue expires. */
  'DlqOldestExpiresIn',
  /** Sweep: how long the most overdue parked event has been due. */
  'ParkedDue',
  /** Sweep: how long the oldest event of a paused source has waited. */
  'PausedOldestAge',

  /** Probe: from sending a signed event through the public URL to its completion; absence is the alarm. */
  'ProbeLatency',

  /** Audit: records that break an invariant. */
  'LedgerMismatch',
  /** Audit: how long ago all records were looked at, if more than a day. */
  'LedgerPassAge',

  /** Publish: messages stored and queued, repetitions too. */
  'Published',
  /** Publish: messages refused. */
  'PublishRefused',
  /** Publish: stored, but not as the catalogue has it; a log line says what. */
  'PublishReported',
  /** Drain: from the 202 to the first byte sent to a healthy endpoint. */
  'FirstAttemptDelay',
  /** Drain: first attempts. */
  'FirstAttempts',
  /** Drain: first attempts that succeeded. */
  'FirstAttemptsOk',
  /** Drain: attempts after the first. */
  'DeliveryRetries',
  /** Drain: successes. */
  'Delivered',
  /** Drain: deliveries that used up their attempts. */
  'DeadDeliveries',
  /** Drain: ended without a request: too old, dropped or canceled. */
  'EndedUnsent',
  /** Drain: endpoints disabled by us. */
  'EndpointsDisabled',
  /** Drain: sessions that found their lease taken. */
  'SessionsRobbed',
  /** Drain: attempts that failed by our own fault. */
  'OwnFault',
  /** Drain: requests not made to forbidden addresses. */
  'ForbiddenAddress',
  /** Drain: age of the oldest row of a healthy endpoint. */
  'WaitingOldestHealthyAge',
  /** Tend: runs; absence is the alarm. */
  'TendRuns',
  /** Tend: endpoints that had something due and no wake-up. */
  'WakeLost',
  /** Tend: messages never fanned out to an endpoint. */
  'FanOutLost',
  /** Tend: first attempts that wait at endpoints that could be asked, if the oldest has for five minutes. */
  'DeliveriesWaiting',
  /** Tend: endpoints on hold. */
  'EndpointsOnHold',
  /** Tend: endpoints that are disabled. */
  'EndpointsShut',
  /** Tend: 1 while most likely our own egress fails. */
  'EgressSuspect',
  /** Contacts: runs in which no look at an application failed; absence is the alarm. */
  'ContactRuns',
  /** Contacts: mails that SES did not confirm. */
  'MailsNotTaken',
] as const;

export type MetricName = keyof typeof DETAILED | (typeof OF_ENVIRONMENT)[number];

/** The sets of dimensions that a metric is published under. */
export function dimensionsOf(metric: MetricName): readonly (readonly MetricDimension[])[] {
  const detailed: Readonly<Partial<Record<MetricName, readonly (readonly MetricDimension[])[]>>> = DETAILED;
  return detailed[metric] ?? PER_ENVIRONMENT;
}

export function allMetrics(): readonly MetricName[] {
  return [...(Object.keys(DETAILED) as MetricName[]), ...OF_ENVIRONMENT];
}

/** Nor this: a metric's name says its unit, so it is not sent. */
const UNITS: Readonly<Partial<Record<MetricName, 'Milliseconds' | 'Seconds'>>> = {
  RefusedOnlyFor: 'Seconds',
  ClockDifference: 'Seconds',
  ProcessingLatency: 'Milliseconds',
  UnsentOldestAge: 'Seconds',
  UnfinishedOldestAge: 'Seconds',
  DlqOldestExpiresIn: 'Seconds',
  ParkedDue: 'Seconds',
  PausedOldestAge: 'Seconds',
  LedgerPassAge: 'Seconds',
  ProbeLatency: 'Milliseconds',
  ReconcileLag: 'Seconds',
  FirstAttemptDelay: 'Milliseconds',
  WaitingOldestHealthyAge: 'Seconds',
};

export function unitOf(metric: MetricName): 'Count' | 'Milliseconds' | 'Seconds' {
  return UNITS[metric] ?? 'Count';
}

/** The `cause` of `RequestRefused` that means a wrong secret: the signature is well formed and does not match. */
export const REFUSED_FOR_SIGNATURE = 'mismatch';
