/**
 * Every metric of the product: one name for the code that emits it, the alarm that watches it and the dashboard that
 * shows it. `dimensions` are the exact sets it is published under: CloudWatch finds a metric only by a whole set.
 */
export const METRIC_NAMESPACE = 'Holdfast';

type MetricUnit = 'Count' | 'Milliseconds' | 'Seconds';
/** All low-cardinality: an event id is never a dimension. `environment` is in every set. */
type MetricDimension = 'environment' | 'source' | 'cause' | 'dependency' | 'class' | 'lane';

export interface MetricDefinition {
  readonly unit: MetricUnit;
  readonly dimensions: readonly (readonly MetricDimension[])[];
}

const PER_ENVIRONMENT = [['environment']] as const;
const PER_SOURCE = [['environment', 'source']] as const;
const BOTH = [['environment'], ['environment', 'source']] as const;
const PER_CAUSE = [['environment', 'source', 'cause']] as const;

export const METRICS = {
  /** Ingest: every request of a known source, whatever became of it. */
  Requests: { unit: 'Count', dimensions: PER_SOURCE },
  /** Ingest: a genuine event recorded or sent for the first time. */
  Accepted: { unit: 'Count', dimensions: PER_SOURCE },
  /** Ingest: a genuine event that was accepted before. */
  Duplicate: { unit: 'Count', dimensions: PER_SOURCE },
  /** Ingest: refused before anything was stored; `cause` says why. */
  RequestRejected: { unit: 'Count', dimensions: PER_CAUSE },
  /** Sweep: how long a source that had successes has been refused without one. Not emitted of any other. */
  RefusedOnlyFor: { unit: 'Seconds', dimensions: PER_SOURCE },
  /** Ingest: accepted on the strength of the queue alone, because the table did not answer. */
  UnrecordedAccepted: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Ingest: a known event id came with other bytes. */
  PayloadMismatch: { unit: 'Count', dimensions: PER_SOURCE },
  /** Ingest: verified, but only by the previous secret of a rotation. */
  PreviousSecretMatched: { unit: 'Count', dimensions: PER_SOURCE },
  /** Any function: a service failed or did not answer in time. */
  DependencyError: { unit: 'Count', dimensions: [['environment'], ['environment', 'dependency']] },
  /** Any function: how far its clock is from the services'. Not emitted below three seconds. */
  ClockDifference: { unit: 'Seconds', dimensions: PER_ENVIRONMENT },

  /** Process: claims that ran a handler. */
  Attempts: { unit: 'Count', dimensions: BOTH },
  /** Process: attempts after an event's first. Not emitted when zero, unlike `Attempts`, which it is compared with. */
  Retries: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  AttemptsFailed: { unit: 'Count', dimensions: BOTH },
  /** Process: from accepted to done, first attempts only. */
  ProcessingLatency: { unit: 'Milliseconds', dimensions: BOTH },
  Completed: { unit: 'Count', dimensions: BOTH },
  SkippedStale: { unit: 'Count', dimensions: PER_SOURCE },
  /** Ingest, process: recorded and not run, because it may have been handled and forgotten before. */
  SkippedTooOld: { unit: 'Count', dimensions: PER_SOURCE },
  Ignored: { unit: 'Count', dimensions: PER_SOURCE },
  Rejected: { unit: 'Count', dimensions: PER_SOURCE },
  DeadLettered: { unit: 'Count', dimensions: [['environment'], ['environment', 'source', 'cause']] },
  /** Process: waiting for another event, by the handler's wish. */
  Deferred: { unit: 'Count', dimensions: PER_SOURCE },
  /** Process: put aside for the watch index (pause, open breaker, long wait). */
  Parked: { unit: 'Count', dimensions: PER_SOURCE },
  /** Process: a queue message that is not one of ours, copied to the dead-letter queue. */
  UnknownMessage: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Process: a payload had another structure than all before it. */
  SchemaChanged: { unit: 'Count', dimensions: BOTH },
  /** Process: a payload broke the schema its handler is registered with. */
  SchemaMismatch: { unit: 'Count', dimensions: PER_SOURCE },
  /** Process: a finish was refused because another owner has the event. */
  LeaseLost: { unit: 'Count', dimensions: PER_ENVIRONMENT },

  /** Sweep: one per run; its absence is the alarm. */
  SweeperRuns: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  SweeperResent: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Sweep: the first conflict of a source, the first event that was too old, a handler that only fails: one at a time. */
  NewConflict: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  NewTooOld: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  NewFailingHandler: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Sweep: age of the oldest recorded event that was never sent. */
  UnsentOldestAge: { unit: 'Seconds', dimensions: PER_ENVIRONMENT },
  /** Sweep: time since the next step of the most overdue event was due; parked events excluded. */
  UnfinishedOldestAge: { unit: 'Seconds', dimensions: PER_ENVIRONMENT },
  /** Sweep: dead letters nobody has replayed or redriven. */
  OpenDeadLetters: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Sweep: time left until the oldest message of the dead-letter queue is deleted by its retention. */
  DlqOldestExpiresIn: { unit: 'Seconds', dimensions: PER_ENVIRONMENT },
  /** Sweep: how long the most overdue parked event has been due. */
  ParkedDue: { unit: 'Seconds', dimensions: PER_ENVIRONMENT },
  /** Sweep: how long the oldest event of a paused source has waited. */
  PausedOldestAge: { unit: 'Seconds', dimensions: PER_ENVIRONMENT },

  /** Probe: from sending a signed event through the public URL to its completion; its absence is the alarm. */
  ProbeLatency: { unit: 'Milliseconds', dimensions: PER_ENVIRONMENT },

  /** Reconcile: records that break an invariant. */
  LedgerMismatch: { unit: 'Count', dimensions: PER_ENVIRONMENT },

  /** Reconcile providers: events the provider has and the store does not. */
  ReconcileGaps: { unit: 'Count', dimensions: BOTH },
  /** Reconcile providers: of these, fetched and recorded. */
  ReconcileHealed: { unit: 'Count', dimensions: PER_SOURCE },
  /** Reconcile providers: age of the oldest delivery that was not compared yet. */
  ReconcileLag: { unit: 'Seconds', dimensions: PER_SOURCE },

  /** Publish: messages stored and queued; repetitions count as well. */
  Published: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Publish: refused, nothing stored. */
  PublishRejected: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Publish: data that breaks the schema of its type, where that only warns. */
  PublishSchemaMismatch: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Fan-out: a job whose message is gone. */
  MessageGone: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Drain: from the 202 to the first byte sent, first attempts to healthy endpoints only. */
  FirstAttemptDelay: { unit: 'Milliseconds', dimensions: PER_ENVIRONMENT },
  /** Drain: how long a request to an endpoint took. */
  AttemptDuration: { unit: 'Milliseconds', dimensions: PER_ENVIRONMENT },
  /** Drain: requests to endpoints, by the class of their answer. */
  DeliveryAttempts: { unit: 'Count', dimensions: [['environment'], ['environment', 'class']] },
  FirstAttempts: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  FirstAttemptsOk: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  DeliveryRetries: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  Delivered: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Drain: deliveries that used up their attempts. */
  DeadDeliveries: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Drain: deliveries that ended without a request: too old, dropped or canceled. */
  EndedUnsent: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Drain: endpoints whose breaker opened. */
  EndpointsHeld: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Drain: endpoints disabled by us. */
  EndpointsDisabled: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  Sessions: { unit: 'Count', dimensions: [['environment'], ['environment', 'lane']] },
  /** Drain: a session found that another has its lease. */
  SessionsRobbed: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Drain: attempts that failed by our own fault. */
  OwnFault: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  ForbiddenAddress: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Drain: age of the oldest row a session of a healthy endpoint met. */
  WaitingOldestHealthyAge: { unit: 'Seconds', dimensions: PER_ENVIRONMENT },
  /** Tend: one per run; its absence is the alarm. */
  TendRuns: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Tend: endpoints that had something due and no token. */
  WakeLost: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Tend: messages that were never fanned out to an endpoint. */
  FanOutLost: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Tend: endpoints on hold, and endpoints that are disabled. */
  EndpointsOnHold: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  EndpointsShut: { unit: 'Count', dimensions: PER_ENVIRONMENT },
  /** Tend: 1 while most likely our own egress fails. */
  EgressSuspect: { unit: 'Count', dimensions: PER_ENVIRONMENT },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof METRICS;

/** The `cause` of `RequestRejected` that means a wrong secret: the signature is well formed and does not match. */
export const REJECTED_FOR_SIGNATURE = 'mismatch';
