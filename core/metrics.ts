/** Metric names: one constant each, shared by the code that emits, the alarm that watches and the dashboard. */
export const METRIC_NAMESPACE = 'Holdfast';

export const METRICS = {
  accepted: 'Accepted',
  duplicate: 'Duplicate',
  requestRejected: 'RequestRejected',
  payloadMismatch: 'PayloadMismatch',
  unrecordedAccepted: 'UnrecordedAccepted',
  secretMatched: 'SecretMatched',
  dependencyError: 'DependencyError',
  attempts: 'Attempts',
  firstAttempts: 'FirstAttempts',
  attemptsFailed: 'AttemptsFailed',
  completed: 'Completed',
  skippedStale: 'SkippedStale',
  rejected: 'Rejected',
  ignored: 'Ignored',
  deferred: 'Deferred',
  parked: 'Parked',
  deadLettered: 'DeadLettered',
  leaseLost: 'LeaseLost',
  foreignMessage: 'ForeignMessage',
  /** Milliseconds from the request's arrival to the outcome, first attempts only. */
  processingLatency: 'ProcessingLatency',
  sweeperRuns: 'SweeperRuns',
  sweeperResent: 'SweeperResent',
  /** Seconds. */
  unsentOldestAge: 'UnsentOldestAge',
  /** Seconds since the next step of the most overdue event was due. */
  unfinishedOldestAge: 'UnfinishedOldestAge',
  openDeadLetters: 'OpenDeadLetters',
  /** Seconds since the most overdue parked event was due. */
  parkedDue: 'ParkedDue',
  /** Seconds. */
  pausedOldestAge: 'PausedOldestAge',
  /** Seconds until the next dead letter leaves the DLQ by retention. */
  dlqOldestExpiresIn: 'DlqOldestExpiresIn',
  ledgerMismatch: 'LedgerMismatch',
  /** Milliseconds from the probe's request to its completion. */
  probeLatency: 'ProbeLatency',
} as const;

export type MetricName = (typeof METRICS)[keyof typeof METRICS];
