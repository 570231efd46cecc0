/** A hundred sources with the longest names in one environment, judged on the bytes that are uploaded. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { NestedStack, Stage } from 'aws-cdk-lib/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type SynthesizedEnvironment, synthEnvironment } from './synth-environment.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Resource = any;
const COUNT = 100;
/** Forty characters, the longest there are. */
const nameOf = (n: number): string =>
  `${'a-name-of-the-longest-kind-there-may-be'.slice(0, 37)}${String(n).padStart(3, '0')}`;

let prod: SynthesizedEnvironment;
let templates: readonly (readonly [name: string, template: Template])[];
beforeAll(async () => {
  const sources = Object.fromEntries(
    // Asana hands its secret over, which takes a right more; Stripe is compared with its own list.
    Array.from({ length: COUNT }, (_, n) => [
      nameOf(n),
      {
        throttle: 100,
        ...(n % 2 === 0 ? { provider: 'stripe', reconcile: { types: ['*'] } } : { provider: 'asana' }),
      },
    ]),
  );
  prod = await synthEnvironment('prod', { sources, environments: { prod: {} } });
  templates = Object.entries({ data: prod.data, gateway: prod.gateway, ...prod.nested });
}, 120_000);

describe('a hundred sources with names of forty characters', () => {
  it('have names of forty characters', () => {
    expect(nameOf(7)).toHaveLength(40);
    expect(Object.keys(prod.nested).sort()).toEqual([
      'IngestSignatureFailures',
      'IngestSilentSource',
      'ProcessHandlerFailures',
      'ReconcileProvidersBehind',
    ]);
  });

  it('leave a fifth of the 500 resources and of the 200 outputs of each stack', () => {
    for (const [name, template] of templates) {
      const { Resources, Outputs = {}, Parameters = {} } = template.toJSON();
      expect(Object.keys(Resources).length, name).toBeLessThanOrEqual(400);
      expect(Object.keys(Outputs).length, name).toBeLessThanOrEqual(160);
      expect(Object.keys(Parameters).length, name).toBeLessThanOrEqual(160);
    }
  });

  it('leave a third of the megabyte that CloudFormation takes, as each template is uploaded', () => {
    const { directory } = (Stage.of(prod.stage.gateway) as Stage).synth();
    const stacks = [
      prod.stage.data,
      prod.stage.gateway,
      ...prod.stage.gateway.node.findAll().filter(NestedStack.isNestedStack),
    ];
    expect(stacks).toHaveLength(templates.length);
    for (const stack of stacks) {
      const bytes = readFileSync(join(directory, stack.templateFile)).byteLength;
      expect(bytes, stack.templateFile).toBeLessThan(700_000);
    }
  });

  it('need no longer policies than six do, and no managed one', async () => {
    const few = (await synthEnvironment('prod')).gateway;
    const sizeOf = (template: Template): number[] =>
      Object.values<Resource>(template.findResources('AWS::IAM::Policy')).map(
        it => JSON.stringify(it.Properties.PolicyDocument).length,
      );
    // The writing of handed-over secrets and the comparison with providers add some lines, whatever the number of sources.
    expect(Math.max(...sizeOf(prod.gateway))).toBeLessThan(Math.max(...sizeOf(few)) + 1_500);
    expect(Math.max(...sizeOf(prod.gateway))).toBeLessThan(6_144);
    prod.gateway.resourceCountIs('AWS::IAM::ManagedPolicy', 0);
  });

  it('are all on the dashboard, within its limits', () => {
    // A widget of alarms takes 1 to 100 of them, a graph 500 metrics, a dashboard 2,500.
    const widgets = widgetsOf(prod.gateway);
    const tiles = widgets.flatMap(({ properties }) => (properties.alarms ? [properties.alarms.length] : []));
    const metrics = widgets.map(({ properties }) => properties.metrics?.length ?? 0);
    expect(Math.max(...tiles)).toBeLessThanOrEqual(100);
    expect(Math.max(...metrics)).toBeLessThanOrEqual(500);
    expect(metrics.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(2_500);
    const alarms = templates.flatMap(([, each]) => Object.keys(each.findResources('AWS::CloudWatch::Alarm')));
    expect(tiles.reduce((sum, count) => sum + count)).toBe(alarms.length);
  });

  it('are each watched for their secret, their silence and their handlers', () => {
    for (const id of ['IngestSignatureFailures', 'IngestSilentSource', 'ProcessHandlerFailures'])
      prod.nested[id]?.resourceCountIs('AWS::CloudWatch::Alarm', COUNT);
    prod.nested['ReconcileProvidersBehind']?.resourceCountIs('AWS::CloudWatch::Alarm', COUNT / 2);
  });
});

describe('two hundred sources', () => {
  it('fit: fewer than 200 outputs, no graph of 500 metrics, and one way to find each URL', async () => {
    const sources = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`s${n}`, { provider: 'stripe' }]));
    const { gateway, nested, data } = await synthEnvironment('prod', {
      sources,
      environments: { prod: { publicUrl: 'https://hooks.example.com' } },
    });
    for (const template of [gateway, data, ...Object.values(nested)]) {
      const { Resources, Outputs = {} } = template.toJSON();
      expect(Object.keys(Resources).length).toBeLessThanOrEqual(500);
      expect(Object.keys(Outputs).length).toBeLessThanOrEqual(200);
    }
    gateway.hasOutput('WebhookUrls', { Value: 'https://hooks.example.com/webhooks/<source>' });
    const widgets = widgetsOf(gateway);
    const metrics = widgets.map(({ properties }) => properties.metrics?.length ?? 0);
    expect(Math.max(...metrics)).toBeLessThanOrEqual(500);
    expect(JSON.stringify(widgets)).toContain('SLICE(SORT(SEARCH(');
  }, 60_000);
});

function widgetsOf(template: Template): { properties: { alarms?: unknown[]; metrics?: unknown[] } }[] {
  const [dashboard] = Object.values<Resource>(template.findResources('AWS::CloudWatch::Dashboard'));
  const parts: unknown[] = dashboard.Properties.DashboardBody['Fn::Join'][1];
  return JSON.parse(parts.map(part => (typeof part === 'string' ? part : 'reference')).join('')).widgets;
}
