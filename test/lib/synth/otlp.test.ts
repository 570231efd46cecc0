/** OpenTelemetry: nothing of it where it is not configured, else one function that reads the logs of the others. */
import { expect, it } from 'vitest';
import { defineGateway } from '#core/config/gateway-config.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { synthEnvironment } from './synth-environment.ts';

const otlp = { endpoint: 'https://otlp.example.com' };
const config = defineGateway({ ...gateway, environments: { prod: { otlp } } });

it('is off by default', async () => {
  const { data, gateway: template } = await synthEnvironment('prod');
  template.resourceCountIs('AWS::Logs::SubscriptionFilter', 0);
  expect(JSON.stringify([data.toJSON(), template.toJSON()])).not.toMatch(/otlp/i);
});

it('reads the logs of every function that counts, may read one secret, and is read by none', async () => {
  const { data, gateway: template } = await synthEnvironment('prod', config);
  const filters = Object.values(template.findResources('AWS::Logs::SubscriptionFilter')).map(
    each => each['Properties'],
  );
  const groups = filters.map(each => each.LogGroupName.Ref.replace(/Logs[0-9A-F]{8}$/, '')).sort();
  expect(groups).toEqual(['Api', 'Audit', 'Ingest', 'Probe', 'Process', 'Sweep']);
  for (const each of filters) expect(each.FilterPattern).toContain('$._aws.Timestamp');
  data.hasResourceProperties('AWS::SecretsManager::Secret', { Name: 'holdfast-otlp/prod' });
  const policies = Object.entries(template.findResources('AWS::IAM::Policy'));
  const readers = policies.filter(([, policy]) => JSON.stringify(policy).includes('holdfast-otlp/prod'));
  expect(readers.map(([id]) => id.slice(0, 4))).toEqual(['Otlp']);
});
