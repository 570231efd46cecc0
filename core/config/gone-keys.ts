/** Keys of versions before, and what takes their place: all of them are told at once, with every other mistake. */
import { type Check, type ChecksOf, join, object, show } from '#core/problem.ts';

type Gone = Readonly<Record<string, string>>;

const CONSTANT = 'remove it: it is a constant now';
const ALARM = (id: string): string => `write it by its alarm: '${id}'`;

/** By the object that had them. */
export const GONE = {
  source: {
    maxBodyBytes: "remove it: what the provider's spec says holds, else 4 MiB",
    dryRun: 'remove it: `holdfast refused ls` shows what a new source refuses, and why',
    expectedGapMinutes: 'write the minutes as `silence`',
  },
  retry: { baseSeconds: 'remove it: the first wait is at most 3 seconds; `attempts` and `capSeconds` say the rest' },
  reconcile: {
    ...{ lookbackHours: CONSTANT, settleMinutes: CONSTANT, callsPerSecond: CONSTANT, maxPagesPerRun: CONSTANT },
    dryRun: 'remove it: `holdfast reconcile --dry-run` reports and heals nothing',
  },
  environment: {
    awsClient: 'remove it: every function calls AWS by the AWS SDK',
    timings: 'write `handlerTimeoutSeconds` in place of `processTimeoutMs`; `deferLimitMs` is a constant, seven days',
    emulated: 'remove it: `local` and `drill` are, and what is deployed where AWS_ENDPOINT_URL is on this machine',
    sweepSendsPerSecond:
      'remove it: the sweeper sends what its core does; `queue.maxConcurrency` protects what handlers call',
    replaysPerSecond: 'remove it: 50, and `--rate` for each job',
  },
  queue: {
    visibilitySeconds: 'remove it: six times `handlerTimeoutSeconds`',
    ...{ maxReceiveCount: CONSTANT, deadRetentionDays: 'remove it: 14, the most that SQS has' },
  },
  thresholds: {
    queueAgeTicketSeconds: ALARM('process-queue-age'),
    queueAgePageSeconds: ALARM('process-queue-age-page'),
    queueDepthTicket: ALARM('process-queue-deep'),
    queueDepthPage: ALARM('process-queue-deep-page'),
    unfinishedAgeSeconds: ALARM('sweep-oldest-unfinished'),
    unsentAgeSeconds: ALARM('sweep-unsent-records'),
    inFlightMessages: ALARM('process-in-flight-full'),
    ingestErrorPercent: ALARM('ingest-errors'),
    ingestErrorCount: ALARM('ingest-server-errors'),
    ingestLatencyMs: ALARM('ingest-slow'),
    handlerFailurePagePercent: ALARM('process-handler-failures'),
    leaseLostCount: ALARM('process-lease-lost'),
    dependencyErrorCount: ALARM('ingest-dependency-errors'),
    accountConcurrency: ALARM('ingest-account-concurrency'),
    processingLatencyMs: ALARM('process-slow'),
    retryPercent: ALARM('process-retry-rate'),
    dlqExpirySeconds: ALARM('process-dead-letter-expiring'),
    pausedAgeSeconds: ALARM('sweep-paused-too-long'),
    parkedAgeSeconds: ALARM('sweep-parked-overdue'),
    probeLatencyMs: ALARM('probe-missing-or-slow'),
  },
  outbound: {
    ...{ reconcile: CONSTANT, auditMinutes: CONSTANT },
    probe: 'write `longestHoldSeconds` in place of `capSeconds`; the first hold is 30 seconds',
    ipv6: 'remove it: Lambda has no way out by IPv6',
    allowAddresses: 'remove it: 127.0.0.1 where AWS is emulated, else none',
  },
  otlp: { secretHeaders: 'remove it: a request carries the headers of the secret as soon as it has a value' },
} as const satisfies Readonly<Record<string, Gone>>;

/** `check`, and a key that is gone is told what takes its place. */
export function withoutGone(gone: Gone, check: Check): Check {
  return (value, path, report) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return check(value, path, report);
    const isGone = ([key]: readonly [string, unknown]) => Object.hasOwn(gone, key);
    const entries = Object.entries(value);
    for (const [key, given] of entries.filter(isGone))
      report({
        path: join(path, key),
        given: show(given),
        allowed: 'nothing: this key is gone',
        fix: gone[key] as string,
      });
    check(Object.fromEntries(entries.filter(each => !isGone(each))), path, report);
  };
}

/** `object`, where versions before had more keys. */
export function objectWithout<T>(gone: Gone, checks: ChecksOf<T>, required: readonly (keyof T & string)[] = []): Check {
  return withoutGone(gone, object<T>(checks, required));
}
