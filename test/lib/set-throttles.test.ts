/**
 * Deploys of many throttles against a control plane that refuses parallel changes of one API:
 * 1. What the template asks for is what the stage has at the end.
 * 2. A resource a route, as it was, fails there.
 */
import { beforeAll, expect, it } from 'vitest';
import { type Change, setThrottles } from '#lib/constructs/set-throttles.ts';
import { ControlPlane } from '#test/kit/control-plane.ts';
import { synthEnvironment } from './synth/synth-environment.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Json = any;
const COUNT = 60;
const keys = Array.from({ length: COUNT }, (_, n) => `POST /webhooks/s${n}`);
const throttlesOf = (names: readonly string[], rate = '100') =>
  Object.fromEntries(names.map(key => [key, { rate, burst: '200' }]));
const change = (RequestType: Change['RequestType'], now: readonly string[], before?: readonly string[]): Change => {
  const of = (names: readonly string[]) => ({
    ...{ ApiId: 'a1', StageName: '$default' },
    Throttles: throttlesOf(names),
  });
  return { RequestType, ResourceProperties: of(now), ...(before ? { OldResourceProperties: of(before) } : {}) };
};
const plane = (): ControlPlane => {
  const made = new ControlPlane();
  for (const key of keys) made.routes.add(key);
  return made;
};

let template: Json;
beforeAll(async () => {
  const sources = Object.fromEntries(keys.map((_, n) => [`s${n}`, { provider: 'stripe', throttle: 100 }]));
  template = (await synthEnvironment('dev', { sources, environments: { dev: { alarms: 'none' } } })).gateway.toJSON();
}, 30_000);

it('sixty throttles are one resource with the whole map, behind all their routes', () => {
  const found = Object.values<Json>(template.Resources).filter(each => each.Type.startsWith('Custom::'));
  expect(found).toHaveLength(1);
  expect(found[0].Properties.Throttles).toEqual(throttlesOf(keys));
  const routes = Object.entries<Json>(template.Resources).filter(([, { Properties }]) =>
    keys.includes(Properties?.RouteKey),
  );
  expect(found[0].DependsOn).toEqual(expect.arrayContaining(routes.map(([id]) => id)));
});

it('its code is in the template, within what that takes, and needs nothing but what Lambda has', () => {
  const setter = Object.values<Json>(template.Resources).find(each => each.Properties?.Code?.ZipFile !== undefined);
  const code: string = setter.Properties.Code.ZipFile;
  expect(code.length).toBeLessThan(4_096);
  expect([...code.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name)).toEqual(['@aws-sdk/client-apigatewayv2']);
});

it('are all set, though the API deploys its new routes for half a minute meanwhile', async () => {
  const aws = plane();
  aws.occupy(30_000);
  await aws.run(setThrottles(change('Create', keys), aws, aws.wait));
  expect([...aws.settings.keys()].sort()).toEqual([...keys].sort());
  expect(aws.settings.get('POST /webhooks/s7')).toEqual({ ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 });
  expect(aws.refused).toContain('ConflictException');
});

it('those of fifty-nine routes that go are gone before their routes are, and one that is gone already is none', async () => {
  const aws = plane();
  await aws.run(setThrottles(change('Create', keys), aws, aws.wait));
  aws.settings.delete('POST /webhooks/s5');
  await aws.run(setThrottles(change('Update', keys.slice(0, 1), keys), aws, aws.wait));
  expect([...aws.settings.keys()]).toEqual(keys.slice(0, 1));
  await aws.run(setThrottles(change('Delete', keys.slice(0, 1)), aws, aws.wait));
  expect(aws.settings.size).toBe(0);
});

it('what is refused for good is told at once, and what is busy for ten minutes in the end', async () => {
  const none = new ControlPlane();
  await expect(none.run(setThrottles(change('Create', keys), none, none.wait))).rejects.toThrow('Unable to find Route');
  expect(none.refused).toHaveLength(1);
  const busy = plane();
  busy.occupy(600_000);
  await expect(busy.run(setThrottles(change('Create', keys), busy, busy.wait))).rejects.toThrow('concurrent');
  expect(busy.now).toBeLessThan(300_000);
});

it('a resource a route, as it was, is refused by the same control plane', async () => {
  const aws = plane();
  const calls = keys.map(key => aws.updateStage({ RouteSettings: throttlesOf([key]) }));
  const outcomes = await aws.run(Promise.allSettled(calls));
  expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(COUNT / 2);
});
