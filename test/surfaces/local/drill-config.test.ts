/** Drills play in any project: what they need is there when they ask for it, and nowhere else. */
import { expect, it } from 'vitest';
import { defineGateway, type GatewayConfig } from '#core/config/gateway-config.ts';
import { resolveEnvironment, resolveEnvironments, withDrillEnvironment } from '#local/project/drill-config.ts';
import { goesToLocalAws } from '#local/shell/goes-to-local-aws.ts';

const own = (more: Partial<GatewayConfig>) =>
  defineGateway({ sources: { shop: { provider: 'stripe' } }, environments: { local: {}, prod: {} }, ...more });
const drill = (config: GatewayConfig) => resolveEnvironment(config, 'drill');

it('a project that says nothing of drills has their environment, with the senders they play', () => {
  const { sources, emulated, probe, queue, thresholds } = drill(own({}));
  expect(sources.map(({ source, silence }) => [source.id, source.spec.id, silence])).toEqual([
    ['shop', 'stripe', 'off'],
    ['default', 'generic', 'off'],
    ['github', 'github', 5],
  ]);
  expect({ emulated, probe: probe !== undefined, queue: queue.maxConcurrency, thresholds }).toEqual({
    emulated: true,
    probe: true,
    queue: 2,
    thresholds: { 'process-queue-age': 10 },
  });
});

it('sources of those names stay what they are, as far as the drills can send to them', () => {
  const kept = { provider: 'generic', unhandled: 'dead_letter' } as const;
  expect(withDrillEnvironment(own({ sources: { default: kept } }), 'drill').sources['default']).toBe(kept);
  const sources = { default: { provider: 'stripe' }, github: { provider: 'gitlab' } } as const;
  expect(drill(own({ sources })).sources.map(({ source }) => source.spec.id)).toEqual(['generic', 'gitlab']);
});

it('what a project says of the environment comes first', () => {
  const environments = { local: {}, drill: { probe: false, queue: { batchSize: 3 } } };
  const { probe, queue } = drill(own({ environments }));
  expect([probe, queue.batchSize]).toEqual([undefined, 3]);
});

it('no other environment has anything of it', () => {
  const config = own({});
  for (const asked of ['prod', 'local']) expect(withDrillEnvironment(config, asked)).toBe(config);
});

it('an environment beside one that is written for drills has its own sources alone, and drills have theirs', () => {
  const sources = { default: { provider: 'stripe' } } as const;
  const environments = { local: {}, drill: { sources: { github: { quarantine: true } } }, prod: {} };
  const config = own({ sources, environments });
  const found = (asked?: string) =>
    resolveEnvironments(config, asked).map(each => [
      each.config.environment,
      each.sources.map(({ source }) => `${source.id}: ${source.spec.id}`),
    ]);
  expect(found()).toEqual([
    ['local', ['default: stripe']],
    ['drill', ['default: generic', 'github: github']],
    ['prod', ['default: stripe']],
  ]);
  expect(found('drill')).toEqual(found());
});

it('only an address of this machine makes another environment a local one', () => {
  const goes = (AWS_ENDPOINT_URL?: string) => goesToLocalAws({ AWS_ENDPOINT_URL });
  expect(['http://127.0.0.1:4566', 'http://localhost:4566/', 'http://[::1]:4566'].map(goes)).toEqual([
    true,
    true,
    true,
  ]);
  const others = [undefined, '', 'nonsense', 'https://127.0.0.1:4566', 'http://proxy.acme.internal:4566'];
  for (const given of [...others, 'https://dynamodb.eu-west-1.amazonaws.com']) expect(goes(given), given).toBe(false);
});

it('and of those that a project names, only the one that is asked for', () => {
  const config = own({ environments: { local: {}, dev: {}, prod: {} } });
  const emulated = (asked?: string) =>
    resolveEnvironments(config, asked, { emulated: true }).flatMap(it => (it.emulated ? it.config.environment : []));
  expect(emulated('dev')).toEqual(['local', 'dev']);
  expect(emulated()).toEqual(['local']);
});
