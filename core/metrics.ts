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
  /** Ingest: a genuine event recorded or sent for the first time. */
  Accepted: PER_SOURCE,
  /** Ingest: a genuine event that was accepted before. */
  Duplicate: PER_SOURCE,
  /** Ingest: refused before anything was stored; `cause` says why. Over all sources, too: an alarm takes ten metrics. */
  RequestRefused: [
    ['environment', 'source', 'cause'],
    ['environment', 'cause'],
  ],
  /** Sweep: how long a source that had successes has been refused without one. Not emitted of any other. */
  RefusedOnlyFor: PER_SOURCE,
  /** Ingest: a known event id came with other bytes. */
  PayloadMismatch: PER_SOURCE,
  /** Ingest: verified, but only by the previous secret of a rotation. */
  PreviousSecretMatched: PER_SOURCE,
  /** Any function: a service failed or did not answer in time. */
  DependencyError: PER_ENVIRONMENT,

  /** Process: claims that ran a handler. */
  Attempts: BOTH,
  /** Process: of these, those whose handler failed. */
  AttemptsFailed: BOTH,
  // These two have the sets of `Attempts`, though only one of each is read: another set is another directive in the line of
  // each event, whose bytes cost more.
  /** Process: from accepted to done, first attempts only. */
  ProcessingLatency: BOTH,
  /** Process: events whose handler is done. */
  Completed: BOTH,
  /** Process: not run, because a newer state of the same thing was handled. */
  SkippedStale: PER_SOURCE,
  /** Process: events of a type without a handler, or that a handler ignored. */
  Ignored: PER_SOURCE,
  /** Process: events that a handler rejected: no further attempt. */
  Rejected: PER_SOURCE,
  /** Process: events that died. */
  DeadLettered: PER_ENVIRONMENT,
  /** Process: a payload had another structure than all before it. */
  SchemaChanged: BOTH,
  /** Process: a payload broke the schema its handler is registered with. */
  SchemaMismatch: PER_SOURCE,

  /** Reconcile providers: events the provider has and the store does not. */
  ReconcileGaps: BOTH,
  /** Reconcile providers: of these, fetched and recorded. */
  ReconcileHealed: PER_SOURCE,
  /** Reconcile providers: age of the oldest delivery that was not compared yet. */
  ReconcileLag: PER_SOURCE,
  /** Drain: requests to endpoints, by the class of their answer. */
  DeliveryAttempts: [['environment'], ['environment', 'class']],
} as const satisfies Readonly<Record<string, readonly (readonly MetricDimension[])[]>>;

/** Published under the environment alone. Only their names' types are needed to emit them: a cold start reads none of it. */
const OF_ENVIRONMENT = [
  /** Ingest: accepted on the strength of the queue alone, because the table did not answer. */
  'UnrecordedAccepted',
  /** Any function: how far its clock is from the services'. Not emitted below three seconds. */
  'ClockDifference',
  /** Process: attempts after an event's first. Not emitted when zero, unlike `Attempts`, which it is compared with. */
  'Retries',
  /** Process: a finish was refused because another owner has the event. */
  'LeaseLost',

  /** Sweep: one per run; its absence is the alarm. */
  'SweeperRuns',
  /** Sweep: events that it sent to the queue again. */
  'SweeperResent',
  /** Sweep: the first conflict of a source. */
  'NewConflict',
  /** Sweep: the first event of a source that was too old. */
  'NewTooOld',
  /** Sweep: a handler that only fails. */
  'NewFailingHandler',
  /** Sweep: age of the oldest recorded event that was never sent. */
  'UnsentOldestAge',
  /** Sweep: time since the next step of the most overdue event was due; parked events excluded. */
  'UnfinishedOldestAge',
  /** Sweep: dead letters nobody has replayed or redriven. Too many for one run: at least the last whole count. */
  'OpenDeadLetters',
  /** Sweep: time left until the oldest message of the dead-letter queue is deleted by its retention. */
  'DlqOldestExpiresIn',
  /** Sweep: how long the most overdue parked event has been due. */
  'ParkedDue',
  /** Sweep: how long the oldest event of a paused source has waited. */
  'PausedOldestAge',

  /** Probe: from sending a signed event through the public URL to its completion; its absence is the alarm. */
  'ProbeLatency',

  /** Audit: records that break an invariant. */
  'LedgerMismatch',
  /** Audit: how long ago all records were looked at, once that is more than a day: a night is too short. */
  'LedgerPassAge',

  /** Publish: messages stored and queued; repetitions count as well. */
  'Published',
  /** Publish: refused, nothing stored. */
  'PublishRefused',
  /** Publish: stored, and not as the catalogue has it; `reported` of the answer and a log line say what. */
  'PublishReported',
  /** Drain: from the 202 to the first byte sent, first attempts to healthy endpoints only. */
  'FirstAttemptDelay',
  /** Drain: first attempts. */
  'FirstAttempts',
  /** Drain: first attempts that succeeded. */
  'FirstAttemptsOk',
  /** Drain: attempts after the first. */
  'DeliveryRetries',
  /** Drain: deliveries that succeeded. */
  'Delivered',
  /** Drain: deliveries that used up their attempts. */
  'DeadDeliveries',
  /** Drain: deliveries that ended without a request: too old, dropped or canceled. */
  'EndedUnsent',
  /** Drain: endpoints disabled by us. */
  'EndpointsDisabled',
  /** Drain: a session found that another has its lease. */
  'SessionsRobbed',
  /** Drain: attempts that failed by our own fault. */
  'OwnFault',
  /** Drain: requests not made, because the address is forbidden. */
  'ForbiddenAddress',
  /** Drain: age of the oldest row a session of a healthy endpoint met. */
  'WaitingOldestHealthyAge',
  /** Tend: one per run; its absence is the alarm. */
  'TendRuns',
  /** Tend: endpoints that had something due and no wake-up. */
  'WakeLost',
  /** Tend: messages that were never fanned out to an endpoint. */
  'FanOutLost',
  /** Tend: first attempts that wait at endpoints that could be asked, where the oldest has waited for five minutes. */
  'DeliveriesWaiting',
  /** Tend: endpoints on hold. */
  'EndpointsOnHold',
  /** Tend: endpoints that are disabled. */
  'EndpointsShut',
  /** Tend: 1 while most likely our own egress fails. */
  'EgressSuspect',
  /** Contacts: one per run in which no look at an application failed; its absence is the alarm. */
  'ContactRuns',
  /** Contacts: mails that SES did not take, or did not say so. */
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
