import { EDGE_SECRET } from '#core/glossary.ts';
import { type Place, secretName } from '#core/names.ts';
import type { DomainConfig } from './domain-config.ts';
import type { EdgeConfig } from './edge-config.ts';
import type {
  AlarmTarget,
  CanaryConfig,
  EnvironmentConfig,
  LogRetentionDays,
  QueueSettings,
  Severity,
  SourceConfig,
} from './gateway-config.ts';
import type { ResolvedConfig, ResolvedSource } from './resolved-config.ts';
import type { Throttle } from './throttle.ts';

/** One environment as the infrastructure sees it: checked, with every default filled in. */
export interface Deployment {
  /** The part that is baked into the functions. */
  readonly config: ResolvedConfig;
  /** Absent: known only when the CLI deploys. */
  readonly account?: string;
  readonly region?: string;
  readonly sources: readonly DeployedSource[];
  /** The probe's own source. Absent: no probe. */
  readonly probe?: DeployedSource;
  readonly disposable: boolean;
  readonly emulated: boolean;
  readonly queue: ResolvedQueue;
  /** The configuration says that nobody is to be told. */
  readonly tellsNobody: boolean;
  readonly alarmTargets: Readonly<Record<Severity, readonly AlarmTarget[]>>;
  readonly alarms: NonNullable<EnvironmentConfig['alarms']>;
  /** By alarm id; one that is not here keeps its own number. */
  readonly thresholds: Readonly<Record<string, number>>;
  readonly logRetentionDays: LogRetentionDays;
  readonly ingestProvisionedConcurrency: number;
  readonly reservedConcurrency: NonNullable<EnvironmentConfig['reservedConcurrency']>;
  /** Origin of the URL given to providers. Absent: the API's own. */
  readonly publicUrl?: string;
  /** Absent: the API's own host. */
  readonly domain?: DomainConfig;
  /** Absent: nothing is before the front door. */
  readonly edge?: EdgeConfig;
  /** ARN. Absent: keys that AWS owns. */
  readonly encryptionKey?: string;
  /** Of each table and index. Absent: what AWS gives. */
  readonly warmWriteUnits?: number;
  /** Absent: the API answers by IPv4 alone. */
  readonly ipv6?: boolean;
  /** Absent: a new version gets every call at once. */
  readonly canary?: CanaryConfig;
  /** ARN. Absent: none. */
  readonly permissionsBoundary?: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** Of the queues: what is set, and what follows from the rest. */
export interface ResolvedQueue extends QueueSettings {
  /** Six times the process function's timeout: a message comes back no earlier. */
  readonly visibilitySeconds: number;
  /** A backstop: attempts are counted in the record, not by the queue. */
  readonly maxReceiveCount: number;
  /** Of the dead-letter queue: the most that SQS has. It counts from the first enqueue, even after the move. */
  readonly deadRetentionDays: number;
}

export interface DeployedSource {
  readonly source: ResolvedSource;
  /** Absent: the front door's own. */
  readonly throttle?: Throttle;
  readonly needsSecret: boolean;
  /** Handlers may read the credential of the provider's API. */
  readonly apiCredential: boolean;
  readonly silence: NonNullable<SourceConfig['silence']>;
}

/** The name of the secret that CloudFront shows to `ingest`, in both regions. */
export function edgeSecretName(place: Place): string {
  return secretName(place, EDGE_SECRET);
}
