/**
 * Every metric of the product: one name for the code that emits it, the alarm that watches it and the dashboard that
 * shows it, and the exact sets of dimensions it is published under: CloudWatch finds a metric only by a whole set.
 */
export const METRIC_NAMESPACE = 'Holdfast';

/** All low-cardinality: an event id is never a dimension. `environment` is in every set. */
type MetricDimension = 'environment' | 'source' | 'cause' | 'dependency' | 'class' | 'lane';

const PER_ENVIRONMENT = [['environment']] as const;
const PER_SOURCE = [['environment', 'source']] as const;
const BOTH = [['environment'], ['environment', 'source']] as const;
const PER_CAUSE = [['environment', 'source', 'cause']] as const;

export const METRICS = {
  /** Ingest: every request of a known source, whatever became of it. */
  Requests: PER_SOURCE,
  /** Ingest: a genuine event recorded or sent for the first time. */
  Accepted: PER_SOURCE,
  /** Ingest: a genuine event that was accepted before. */
  Duplicate: PER_SOURCE,
  /** Ingest: refused before anything was stored; `cause` says why. */
  RequestRejected: PER_CAUSE,
  /** Sweep: how long a source that had successes has been refused without one. Not emitted of any other. */
  RefusedOnlyFor: PER_SOURCE,
  /** Ingest: accepted on the strength of the queue alone, because the table did not answer. */
  UnrecordedAccepted: PER_ENVIRONMENT,
  /** Ingest: a known event id came with other bytes. */
  PayloadMismatch: PER_SOURCE,
  /** Ingest: verified, but only by the previous secret of a rotation. */
  PreviousSecretMatched: PER_SOURCE,
  /** Any function: a service failed or did not answer in time. */
  DependencyError: [['environment'], ['environment', 'dependency']],
  /** Any function: how far its clock is from the services'. Not emitted below three seconds. */
  ClockDifference: PER_ENVIRONMENT,

  /** Process: claims that ran a handler. */
  Attempts: BOTH,
  /** Process: attempts after an event's first. Not emitted when zero, unlike `Attempts`, which it is compared with. */
  Retries: PER_ENVIRONMENT,
  AttemptsFailed: BOTH,
  /** Process: from accepted to done, first attempts only. */
  ProcessingLatency: BOTH,
  Completed: BOTH,
  SkippedStale: PER_SOURCE,
  /** Ingest, process: recorded and not run, because it may have been handled and forgotten before. */
  SkippedTooOld: PER_SOURCE,
  Ignored: PER_SOURCE,
  Rejected: PER_SOURCE,
  DeadLettered: [['environment'], ['environment', 'source', 'cause']],
  /** Process: waiting for another event, by the handler's wish. */
  Deferred: PER_SOURCE,
  /** Process: put aside for the watch index (pause, open breaker, long wait). */
  Parked: PER_SOURCE,
  /** Process: a queue message that is not one of ours, copied to the dead-letter queue. */
  UnknownMessage: PER_ENVIRONMENT,
  /** Process: a payload had another structure than all before it. */
  SchemaChanged: BOTH,
  /** Process: a payload broke the schema its handler is registered with. */
  SchemaMismatch: PER_SOURCE,
  /** Process: a finish was refused because another owner has the event. */
  LeaseLost: PER_ENVIRONMENT,

  /** Sweep: one per run; its absence is the alarm. */
  SweeperRuns: PER_ENVIRONMENT,
  SweeperResent: PER_ENVIRONMENT,
  /** Sweep: the first conflict of a source, the first event that was too old, a handler that only fails: one at a time. */
  NewConflict: PER_ENVIRONMENT,
  NewTooOld: PER_ENVIRONMENT,
  NewFailingHandler: PER_ENVIRONMENT,
  /** Sweep: age of the oldest recorded event that was never sent. */
  UnsentOldestAge: PER_ENVIRONMENT,
  /** Sweep: time since the next step of the most overdue event was due; parked events excluded. */
  UnfinishedOldestAge: PER_ENVIRONMENT,
  /** Sweep: dead letters nobody has replayed or redriven. */
  OpenDeadLetters: PER_ENVIRONMENT,
  /** Sweep: time left until the oldest message of the dead-letter queue is deleted by its retention. */
  DlqOldestExpiresIn: PER_ENVIRONMENT,
  /** Sweep: how long the most overdue parked event has been due. */
  ParkedDue: PER_ENVIRONMENT,
  /** Sweep: how long the oldest event of a paused source has waited. */
  PausedOldestAge: PER_ENVIRONMENT,

  /** Probe: from sending a signed event through the public URL to its completion; its absence is the alarm. */
  ProbeLatency: PER_ENVIRONMENT,

  /** Reconcile: records that break an invariant. */
  LedgerMismatch: PER_ENVIRONMENT,
  /** Reconcile: how long ago all records were looked at, once that is more than a day: a night is too short. */
  LedgerPassAge: PER_ENVIRONMENT,

  /** Reconcile providers: events the provider has and the store does not. */
  ReconcileGaps: BOTH,
  /** Reconcile providers: of these, fetched and recorded. */
  ReconcileHealed: PER_SOURCE,
  /** Reconcile providers: age of the oldest delivery that was not compared yet. */
  ReconcileLag: PER_SOURCE,

  /** Publish: messages stored and queued; repetitions count as well. */
  Published: PER_ENVIRONMENT,
  /** Publish: refused, nothing stored. */
  PublishRejected: PER_ENVIRONMENT,
  /** Publish: data that breaks the schema of its type, where that only warns. */
  PublishSchemaMismatch: PER_ENVIRONMENT,
  /** Fan-out: a job whose message is gone. */
  MessageGone: PER_ENVIRONMENT,
  /** Drain: from the 202 to the first byte sent, first attempts to healthy endpoints only. */
  FirstAttemptDelay: PER_ENVIRONMENT,
  /** Drain: how long a request to an endpoint took. */
  AttemptDuration: PER_ENVIRONMENT,
  /** Drain: requests to endpoints, by the class of their answer. */
  DeliveryAttempts: [['environment'], ['environment', 'class']],
  FirstAttempts: PER_ENVIRONMENT,
  FirstAttemptsOk: PER_ENVIRONMENT,
  DeliveryRetries: PER_ENVIRONMENT,
  Delivered: PER_ENVIRONMENT,
  /** Drain: deliveries that used up their attempts. */
  DeadDeliveries: PER_ENVIRONMENT,
  /** Drain: deliveries that ended without a request: too old, dropped or canceled. */
  EndedUnsent: PER_ENVIRONMENT,
  /** Drain: endpoints whose breaker opened. */
  EndpointsHeld: PER_ENVIRONMENT,
  /** Drain: endpoints disabled by us. */
  EndpointsDisabled: PER_ENVIRONMENT,
  Sessions: [['environment'], ['environment', 'lane']],
  /** Drain: a session found that another has its lease. */
  SessionsRobbed: PER_ENVIRONMENT,
  /** Drain: attempts that failed by our own fault. */
  OwnFault: PER_ENVIRONMENT,
  ForbiddenAddress: PER_ENVIRONMENT,
  /** Drain: age of the oldest row a session of a healthy endpoint met. */
  WaitingOldestHealthyAge: PER_ENVIRONMENT,
  /** Tend: one per run; its absence is the alarm. */
  TendRuns: PER_ENVIRONMENT,
  /** Tend: endpoints that had something due and no token. */
  WakeLost: PER_ENVIRONMENT,
  /** Tend: messages that were never fanned out to an endpoint. */
  FanOutLost: PER_ENVIRONMENT,
  /** Tend: endpoints on hold, and endpoints that are disabled. */
  EndpointsOnHold: PER_ENVIRONMENT,
  EndpointsShut: PER_ENVIRONMENT,
  /** Tend: 1 while most likely our own egress fails. */
  EgressSuspect: PER_ENVIRONMENT,
} as const satisfies Readonly<Record<string, readonly (readonly MetricDimension[])[]>>;

export type MetricName = keyof typeof METRICS;

/** Apart from the dimensions, which are all that the functions need of a metric: a cold start does not read this. */
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
  AttemptDuration: 'Milliseconds',
  WaitingOldestHealthyAge: 'Seconds',
};

export function unitOf(metric: MetricName): 'Count' | 'Milliseconds' | 'Seconds' {
  return UNITS[metric] ?? 'Count';
}

/** The `cause` of `RequestRejected` that means a wrong secret: the signature is well formed and does not match. */
export const REJECTED_FOR_SIGNATURE = 'mismatch';
