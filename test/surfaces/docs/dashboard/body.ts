/** The dashboard and the alarms of `prod`, as synthesized: references become short names, so that numbers can be put in. */
import type { Template } from 'aws-cdk-lib/assertions';
import { type AlarmDefinition, readAlarms } from '#local/alarms/alarm-definition.ts';
import type { MetricStore } from '#local/alarms/metric-store.ts';
import { synthEnvironment } from '#test/lib/synth/synth-environment.ts';

/** One line of a graph: `[namespace, name, dimension, value, …, options]`, or options with an expression alone. */
type MetricRow = readonly (string | MetricOptions)[];
export interface MetricOptions {
  readonly id?: string;
  readonly label?: string;
  readonly stat?: string;
  readonly expression?: string;
  readonly visible?: boolean;
  readonly yAxis?: 'left' | 'right';
}

export interface Widget {
  readonly type: 'alarm' | 'text' | 'metric' | 'log';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: {
    readonly title?: string;
    readonly markdown?: string;
    readonly alarms?: readonly string[];
    readonly metrics?: readonly MetricRow[];
    readonly query?: string;
    readonly annotations?: { readonly horizontal?: readonly { readonly value: number; readonly label: string }[] };
  };
}

export interface Dashboard {
  readonly widgets: readonly Widget[];
  /** Of all stacks, over these metrics; those that are not evaluated here are left out. */
  readonly alarmsOver: (store: MetricStore) => readonly AlarmDefinition[];
}

export async function readDashboard(environment: string): Promise<Dashboard> {
  const { gateway, nested } = await synthEnvironment(environment);
  const [resource] = Object.values(gateway.findResources('AWS::CloudWatch::Dashboard'));
  const text = String(flat(resource?.['Properties'].DashboardBody));
  const { widgets } = JSON.parse(text) as { widgets: readonly Widget[] };
  const stacks = [gateway, ...Object.values(nested)].map(alarmStack);
  return { widgets, alarmsOver: store => readAlarms(stacks, store).alarms };
}

/** The place of a metric: each queue and the API under a name of two words at most. */
export const PLACES = { main: 'main', dead: 'dead', api: 'api' } as const;

function placeOf(reference: string): string {
  if (reference.includes('WorkDead')) return PLACES.dead;
  if (reference.includes('WorkMain')) return PLACES.main;
  return reference.includes('FrontDoorHttp') ? PLACES.api : reference;
}

/** A value of the template with its references as names and its parts joined. */
function flat(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(flat);
  if (value === null || typeof value !== 'object') return value;
  const [entry] = Object.entries(value);
  if (entry && Object.keys(value).length === 1) {
    const [name, argument] = entry;
    if (name === 'Fn::Join') return (flat(argument) as [string, string[]])[1].join('');
    if (name === 'Ref' || name.startsWith('Fn::')) return placeOf(JSON.stringify(argument).replaceAll('"', ''));
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, flat(inner)]));
}

function alarmStack(template: Template) {
  const found = Object.entries(template.findResources('AWS::CloudWatch::Alarm'));
  const resources = found.map(([id, it]) => [
    id,
    { Type: 'AWS::CloudWatch::Alarm', Properties: flat(it['Properties']) },
  ]);
  const names = found.map(([id, it]) => [id, String(flat(it['Properties'].AlarmName))]);
  return {
    template: { Resources: Object.fromEntries(resources) },
    physicalIds: Object.fromEntries(names),
    // Nothing is left to resolve.
    outputs: {},
  } as unknown as Parameters<typeof readAlarms>[0][number];
}
