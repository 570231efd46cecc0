/** One deployed environment as the commands see it: the ports of the rules, and what only a person touches. */
import type { Deployment } from '#core/config/deployment.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { InboundPorts, SearchStore } from '#core/inbound/ports.ts';
import type { ReconcileReport } from '#core/inbound/reconcile/reconcile-deliveries.ts';
import type { MetricName } from '#core/metrics.ts';
import type { ItemStore } from '#core/outbound/ports.ts';
import type { DeliveryApi } from './delivery-api.ts';
import type { SendHttp } from './http-answer.ts';

export interface StoredSecret {
  /** `absent`: not deployed. `empty`: nobody has set a value. */
  readonly kind: 'absent' | 'empty' | 'set';
  /** As stored; never printed. */
  readonly text?: string;
  readonly changedAt?: number;
}

/** Whether messages are taken from the queue at all. */
export interface ProcessorSwitch {
  /** `Enabled`, `Disabled`, or on the way to one of them. */
  state(): Promise<string>;
  set(running: boolean): Promise<void>;
}

/** Whether AWS starts a function at all. */
export interface FunctionStops {
  /** e.g. `drain-fast`. */
  readonly name: string;
  /** As `aws lambda` takes it. */
  readonly awsName: string;
  /** False: a reserved concurrency of 0. */
  readonly mayRun: boolean;
  /** Of its queues. */
  readonly mappings: readonly { readonly uuid: string; readonly state: string }[];
}

/** Asks the provider of a source now what it tried to deliver. */
export interface Reconciler {
  /** A report for each list of the source. Throws OperatorError when the function fails. */
  run(source: string, dryRun: boolean): Promise<readonly ReconcileReport[]>;
}

/** Functions that a schedule runs, and that a person may run between two times. */
export const SCHEDULED = ['sweep', 'audit', 'tend'] as const;
type Scheduled = (typeof SCHEDULED)[number];

/** The secrets of the sources, to be read and written by a person. */
export interface SecretVault {
  read(name: string): Promise<StoredSecret>;
  write(name: string, text: string): Promise<void>;
}

export interface AlarmView {
  readonly name: string;
  readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
  readonly since: number;
  readonly reason: string;
  /** What it means, the first command and the runbook, as the alarm itself says. */
  readonly description: string;
  /** Of an alarm that combines others: their names. */
  readonly watches?: readonly string[];
}

/** Messages of alarms that are held back for a while. The alarms are evaluated all the same, and `status` shows them. */
export interface Mute {
  /** Eight hexadecimal digits. */
  readonly id: string;
  readonly by: string;
  readonly why: string;
  /** Full minutes. */
  readonly from: EpochMs;
  readonly until: EpochMs;
  /** Names of the alarms, at least one. */
  readonly alarms: readonly string[];
}

export interface Mutes {
  /** Those that last, and those that will come. */
  list(): Promise<readonly Mute[]>;
  /** Whole or not at all. */
  begin(mute: Mute): Promise<void>;
  /** What was held back of alarms that are still in their state is sent then, as at the end of its time. */
  end(mute: Pick<Mute, 'id'>): Promise<void>;
}

/** A number of a metric: of the period that begins then. */
export interface Point {
  readonly at: EpochMs;
  readonly value: number;
}

/** What an alarm judges, over the last hours. */
export interface AlarmGraph {
  /** Oldest first; a period without a number has no point. */
  readonly points: readonly Point[];
  readonly from: EpochMs;
  readonly periodMs: number;
  /** Absent: it compares with a band. */
  readonly threshold?: number;
  /** As CloudWatch says it, e.g. `GreaterThanThreshold`. */
  readonly comparison: string;
  /** `needed` of the last `periods` must breach. */
  readonly periods: number;
  readonly needed: number;
  /** What a period without a number counts as, in CloudWatch's words. */
  readonly missing: string;
}

/** One line of a function's log. */
export interface LogLine {
  readonly at: number;
  /** The function, e.g. `process`. */
  readonly from: string;
  readonly text: string;
}
export interface LogReader {
  /**
   * Lines since then, oldest first: of every function, or of one (`of`, e.g. `drain-fast`), or of the access log
   * (`requests`). `pattern`: as CloudWatch filters, where it can; more may come. `until`: no later ones.
   */
  read(since: number, pattern: string, of?: string, until?: number): Promise<readonly LogLine[]>;
}

/** Of metrics: from when to when, and how finely. */
export interface Span {
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly periodMs: number;
}

export interface Gateway
  extends Pick<
    InboundPorts,
    'blobs' | 'queue' | 'clock' | 'ids' | 'timer' | 'store' | 'control' | 'dead' | 'gauge' | 'payloads'
  > {
  readonly deployment: Deployment;
  /** Where it is, for a person: region, or the address of the local AWS. */
  readonly place: string;
  /** When its gateway stack was last deployed, epoch ms; undefined where nobody says. */
  readonly deployedAt: number | undefined;
  /** Origin of every webhook URL, as this machine reaches it. */
  readonly apiUrl: string;
  readonly search: SearchStore;
  readonly secrets: SecretVault;
  readonly processor: ProcessorSwitch;
  /** Of every function. */
  functionStops(): Promise<readonly FunctionStops[]>;
  readonly reconciler: Reconciler;
  /**
   * Begins a run now, and does not wait for its end; `try`: only asks AWS whether this person may. Throws OperatorError where
   * the environment has no such function.
   */
  begin(scheduled: Scheduled, how?: 'try'): Promise<void>;
  /** Webhooks to customers. Throws OperatorError where the environment has no `outbound`, or it is not deployed. */
  delivery(): Promise<DeliveryApi>;
  /** The tables of `outbound`, which only a move to another environment touches. Throws as `delivery`. */
  outbound(): Promise<ItemStore>;
  alarms(): Promise<readonly AlarmView[]>;
  readonly mutes: Mutes;
  /** Undefined: no such alarm, or one that judges no number. */
  alarmGraph(name: string): Promise<AlarmGraph | undefined>;
  /** Numbers of each metric that the alarm judges, by its name there. Undefined: no such alarm. Absent: no metrics are kept. */
  alarmParts?(name: string, over: Span): Promise<Readonly<Record<string, readonly number[]>> | undefined>;
  /** The alarm is in ALARM, whatever its numbers say, until it is judged again; whom it tells is told. */
  ringAlarm(name: string, reason: string): Promise<void>;
  /** What a counter counted of a source, oldest first; a period without a number has none. Absent: no metrics are kept. */
  counted?(metric: MetricName, source: string, over: Span): Promise<readonly Point[]>;
  /** Absent: this gateway keeps no logs. */
  readonly logs?: LogReader;
  readonly http: SendHttp;
}
