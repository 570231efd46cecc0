/** AWS's limits that growth meets, with where each is written. Read on 2026-11-22; an account's own are in Service Quotas. */

export interface Quotas {
  /** API Gateway, requests per second and burst of the account and region. */
  readonly apiPerSecond: number;
  readonly apiBurst: number;
  /** Lambda, environments running at once in the account. */
  readonly concurrency: number;
  /** Lambda, environments a function may add in ten seconds. */
  readonly newEnvironmentsPer10s: number;
  /** DynamoDB on demand, write units per second at first; it doubles the highest minute so far, up to `tableMost`. */
  readonly tableFirst: number;
  readonly tableMost: number;
  /** DynamoDB on demand, the same of each index and of the table `payloads`: each has its own. */
  readonly otherFirst: number;
  /** DynamoDB, write units per second of one index key. */
  readonly indexKeyUnits: number;
  /** Secrets Manager, BatchGetSecretValue calls per second of the account; fixed. A start of ingest makes one. */
  readonly secretBatchesPerSecond: number;
  /** SQS standard queue, messages received and not deleted. */
  readonly inFlight: number;
  /** Lambda's SQS mapping, more invocations at once per minute. */
  readonly mappingGrowthPerMinute: number;
  /** Targets of routes, calls per second, where AWS gives least. Step Functions has a bucket beside its rate. */
  readonly startExecutionPerSecond: number;
  readonly startExecutionBurst: number;
  readonly putEventsPerSecond: number;
  readonly fifoSendsPerSecond: number;
}

/** What every account has unless it asks. Sources: the quota pages of API Gateway, Lambda, DynamoDB and SQS. */
export const DEFAULT_QUOTAS: Quotas = {
  apiPerSecond: 10_000,
  apiBurst: 5_000,
  concurrency: 1_000,
  newEnvironmentsPer10s: 1_000,
  tableFirst: 4_000,
  tableMost: 40_000,
  otherFirst: 4_000,
  indexKeyUnits: 1_000,
  secretBatchesPerSecond: 100,
  inFlight: 120_000,
  mappingGrowthPerMinute: 300,
  startExecutionPerSecond: 150,
  startExecutionBurst: 800,
  putEventsPerSecond: 400,
  fifoSendsPerSecond: 300,
};
/** A new account may start with ten environments. */
export const NEW_ACCOUNT: Quotas = { ...DEFAULT_QUOTAS, concurrency: 10 };

/** What has to be asked for or set beforehand (warm throughput), for a design that needs this number of units per event. */
export function raised(eventsPerSecond: number, unitsPerEvent: number): Quotas {
  return {
    ...DEFAULT_QUOTAS,
    apiPerSecond: Math.max(DEFAULT_QUOTAS.apiPerSecond, Math.ceil(eventsPerSecond * 1.2)),
    apiBurst: Math.max(DEFAULT_QUOTAS.apiBurst, Math.ceil(eventsPerSecond * 0.6)),
    concurrency: Math.max(DEFAULT_QUOTAS.concurrency, Math.ceil(eventsPerSecond * 0.12)),
    newEnvironmentsPer10s: DEFAULT_QUOTAS.newEnvironmentsPer10s,
    tableFirst: Math.max(DEFAULT_QUOTAS.tableFirst, Math.ceil(eventsPerSecond * unitsPerEvent * 1.3)),
    tableMost: Math.max(DEFAULT_QUOTAS.tableMost, Math.ceil(eventsPerSecond * unitsPerEvent * 1.3)),
    otherFirst: Math.max(DEFAULT_QUOTAS.otherFirst, Math.ceil(eventsPerSecond * unitsPerEvent * 1.3)),
  };
}
