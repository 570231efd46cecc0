import type { IMetric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Duration } from 'aws-cdk-lib/core';
import type { Deployment } from '#core/config/deployment.ts';
import type { Severity } from '#core/config/gateway-config.ts';
import type { MetricName } from '#core/metrics.ts';
import type { GatewayFunctionName, OptionalFunction } from '../bundling/function-names.ts';
import type { EventStore } from '../constructs/event-store.ts';
import type { EnvContract, GatewayFunction } from '../constructs/gateway-function.ts';
import type { IngestApi } from '../constructs/ingest-api.ts';
import type { WorkQueue } from '../constructs/work-queue.ts';

/** One alarm: what it watches, when it fires, and what a person woken by it reads first. */
export interface AlarmSpec {
  /** `<function>-<what>`; the alarm is named `holdfast-<environment>-<id>`, or `…-<id>-<source>`. */
  readonly id: string;
  /** The one source it watches. @default all of them, or none in particular */
  readonly source?: string;
  readonly severity: Severity;
  readonly metric: IMetric;
  /** Fixed, or the edge of the band that CloudWatch learns; its width is in standard deviations. @default 1 */
  readonly threshold?: number | { readonly bandWidth: number };
  /** @default 'atLeast' */
  readonly fires?: 'above' | 'atLeast' | 'below';
  /** Datapoints that must breach, out of how many: `[3, 5]`. @default [1, 1] */
  readonly datapoints?: readonly [breaching: number, evaluated: number];
  /** No data is a breach. @default it is none. Never CloudWatch's own default: that can fire on one stale datapoint. */
  readonly missing?: 'breaching';
  readonly meaning: string;
  /** A command that can be pasted as it is. */
  readonly firstCommand: string;
  /** Lost or stuck events: kept when the environment asks for `alarms: 'essential'`. @default false */
  readonly essential?: boolean;
  /** Goes through the `notify` function, which adds which events died, to the people of its severity. @default false */
  readonly namesDeaths?: boolean;
  /** The composite that pages for it, where there are composites. @default none: it notifies by itself */
  readonly partOf?: 'ingest-broken' | 'processing-broken';
}

/** The functions of an environment; those it does without are absent. */
export type GatewayFunctions = Readonly<
  Record<Exclude<GatewayFunctionName, OptionalFunction>, GatewayFunction<EnvContract>>
> & {
  readonly [Name in OptionalFunction]?: GatewayFunction<EnvContract>;
};

/** What alarms are made of. */
export interface AlarmContext {
  readonly deployment: Deployment;
  readonly store: EventStore;
  readonly queue: WorkQueue;
  readonly api: IngestApi;
  readonly functions: GatewayFunctions;
  /** A metric our functions emit, in this environment. */
  metric(
    name: MetricName,
    options: MetricOptions & { readonly dimensions?: Readonly<Record<string, string>> },
  ): IMetric;
  /** A command that shows a function's errors of the last hour. */
  errorsOf(name: GatewayFunctionName): string;
  /** A command of the CLI, for this environment. */
  holdfast(command: string): string;
  /** Minutes of an alarm. On the local AWS they are much shorter, so that a drill takes a minute. */
  minutes(count: number): Duration;
}

/**
 * What follows `holdfast-<environment>-`. No two are equal, whatever sources are called: no id begins with the id of an
 * alarm per source and a hyphen (a test holds it).
 */
export function alarmNameOf({ id, source }: Pick<AlarmSpec, 'id' | 'source'>): string {
  return source === undefined ? id : `${id}-${source}`;
}

/** The one thing that is asked of AWS itself. */
export const ACCOUNT_LIMIT = 'aws lambda get-account-settings --query AccountLimit';

export type AlarmList = (context: AlarmContext) => readonly AlarmSpec[];
