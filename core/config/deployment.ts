import { EDGE_SECRET } from '#core/glossary.ts';
import { type Place, secretName } from '#core/names.ts';
import type { AlarmTarget, EnvironmentConfig, QueueSettings, Severity, SourceConfig } from './gateway-config.ts';
import type { ResolvedConfig, ResolvedSource } from './resolved-config.ts';
import type { Throttle } from './throttle.ts';

/** What an environment may leave out, and what has a default where it does. */
type Left = 'account' | 'region' | 'publicUrl' | 'domain' | 'edge' | 'encryptionKey' | 'warmWriteUnits' | 'ipv6';
type Filled = 'disposable' | 'alarms' | 'logRetentionDays' | 'ingestProvisionedConcurrency' | 'reservedConcurrency';

/** One environment as the infrastructure sees it: checked, with every default filled in. */
export interface Deployment
  extends Pick<EnvironmentConfig, Left | 'canary' | 'permissionsBoundary'>,
    Required<Pick<EnvironmentConfig, Filled | 'tags'>> {
  /** The part that is baked into the functions. */
  readonly config: ResolvedConfig;
  readonly sources: readonly DeployedSource[];
  /** The probe's own source. Absent: no probe. */
  readonly probe?: DeployedSource;
  readonly emulated: boolean;
  readonly queue: ResolvedQueue;
  /** The configuration says that nobody is to be told. */
  readonly tellsNobody: boolean;
  readonly alarmTargets: Readonly<Record<Severity, readonly AlarmTarget[]>>;
  /** By alarm id; one that is not here keeps its own number. */
  readonly thresholds: Readonly<Record<string, number>>;
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
