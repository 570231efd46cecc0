/** What a deploy replaces when sources come, go and are renamed: it must be theirs alone. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { GatewayConfig, SourceConfig } from '#core/config/gateway-config.ts';
import { given } from '#core/given.ts';
import { type SynthesizedEnvironment, synthEnvironment } from './synth-environment.ts';

type Sources = Readonly<Record<string, SourceConfig>>;
// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Resource = any;

const SOURCES: Sources = {
  first: { provider: 'stripe' },
  middle: { provider: 'github', throttle: 7 },
  last: { provider: 'stripe', reconcile: { types: ['*'] }, silence: 60 },
};
const configOf = (sources: Sources): GatewayConfig => ({
  sources,
  environments: { prod: { account: '123456789012', region: 'eu-central-1' } },
});
const synth = async (sources: Sources): Promise<SynthesizedEnvironment> =>
  await synthEnvironment('prod', configOf(sources));

/** Resources and outputs of all stacks by id, as text. */
function partsOf({ data, gateway, nested }: SynthesizedEnvironment): Map<string, string> {
  const parts = new Map<string, string>();
  for (const [stack, template] of Object.entries({ data, gateway, ...nested })) {
    const { Resources, Outputs } = template.toJSON() as Record<string, Record<string, Resource>>;
    for (const [id, part] of Object.entries({ ...Resources, ...Outputs }))
      parts.set(`${stack}/${part.Type ?? 'Output'}/${id}`, JSON.stringify(part));
  }
  return parts;
}

/** What all sources are in by design: the graphs, the address of a nested template, and the throttles of routes. */
const SHARED = [/^gateway\/(?:AWS::CloudWatch::Dashboard|AWS::CloudFormation::Stack|Custom::RouteThrottles)\//];

/** Every part that came, went or changed, but for those all sources share. */
function difference(before: SynthesizedEnvironment, after: SynthesizedEnvironment) {
  const [old, now] = [partsOf(before), partsOf(after)];
  const isShared = (id: string) => SHARED.some(pattern => pattern.test(id));
  const ids = [...new Set([...old.keys(), ...now.keys()])].filter(id => !isShared(id)).sort();
  return {
    added: ids.filter(id => !old.has(id)),
    removed: ids.filter(id => !now.has(id)),
    changed: ids.filter(id => old.has(id) && now.has(id) && old.get(id) !== now.get(id)),
    textOf: (id: string) => `${id} ${old.get(id) ?? now.get(id)}`,
  };
}

let base: SynthesizedEnvironment;
beforeAll(async () => {
  base = await synth(SOURCES);
});

describe('a source that', () => {
  it.each([
    ['comes first', { another: { provider: 'stripe' }, ...SOURCES }],
    ['comes last', { ...SOURCES, another: { provider: 'stripe' } }],
  ])('%s adds its own resources and changes no other', async (_, sources) => {
    const { added, removed, changed, textOf } = difference(base, await synth(sources));
    expect(added.length).toBeGreaterThan(4);
    for (const id of added) expect(textOf(id)).toContain('another');
    expect({ removed, changed }).toEqual({ removed: [], changed: [] });
  });

  it.each(Object.keys(SOURCES))('is removed takes its own with it and changes no other: %s', async gone => {
    const { [gone]: _, ...rest } = SOURCES;
    const { added, removed, changed, textOf } = difference(base, await synth(rest));
    expect(removed.length).toBeGreaterThan(4);
    // What only this source needed goes too: who sets throttles, who compares with providers.
    const theirs = /Throttles|ReconcileProviders|reconcileproviders/;
    for (const id of removed) expect(`${textOf(id)}`.includes(gone) || theirs.test(id), id).toBe(true);
    expect({ added, changed }).toEqual({ added: [], changed: [] });
  });

  it('is renamed goes under its old name and comes under its new one', async () => {
    const { first, ...rest } = SOURCES;
    const renamed = await synth({ renamed: first as SourceConfig, ...rest });
    const { added, removed, changed, textOf } = difference(base, renamed);
    for (const id of added) expect(textOf(id)).toContain('renamed');
    for (const id of removed) expect(textOf(id)).toContain('first');
    expect(added).toHaveLength(removed.length);
    expect(changed).toEqual([]);
  });
});

describe('the throttle of one route', () => {
  const stageOf = ({ gateway }: SynthesizedEnvironment): Resource =>
    Object.values(gateway.findResources('AWS::ApiGatewayV2::Stage'))[0];

  it('is never in the stage: its settings would outlive the route, and the next deploy would fail', () => {
    expect(Object.keys(stageOf(base).Properties.RouteSettings)).toEqual(['GET /health']);
    expect(stageOf(base).Properties.DefaultRouteSettings).toEqual({
      ThrottlingRateLimit: 1000,
      ThrottlingBurstLimit: 2000,
    });
  });

  it('is in one resource with all others, made after its route', () => {
    const [setting, ...others] = Object.values<Resource>(base.gateway.findResources('Custom::RouteThrottles'));
    expect(others).toEqual([]);
    const route = Object.entries<Resource>(base.gateway.findResources('AWS::ApiGatewayV2::Route')).find(
      ([, each]) => each.Properties.RouteKey === 'POST /webhooks/middle',
    );
    expect(setting.DependsOn).toContain(route?.[0]);
    expect(setting.Properties.Throttles).toEqual({ 'POST /webhooks/middle': { rate: '7', burst: '14' } });
  });

  it('that is changed or taken away touches its own setting only', async () => {
    const at = async (throttle?: number) =>
      await synth({ ...SOURCES, middle: { provider: 'github', ...given({ throttle }) } });
    const slower = difference(base, await at(5));
    expect([...slower.changed, ...slower.added, ...slower.removed]).toEqual([]);
    const none = difference(base, await at());
    expect([...none.changed, ...none.added]).toEqual([]);
    for (const id of none.removed) expect(id).toMatch(/Throttles/);
  });
});
