/** Stacks and log groups by name and fate: another name is another stack beside the old one, and a deleted log is gone. */
import { Template } from 'aws-cdk-lib/assertions';
import { Stack } from 'aws-cdk-lib/core';
import { describe, expect, it } from 'vitest';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { synthEnvironment } from './synth-environment.ts';

/** Each environment with everything that is a stack or has a log. */
const WHOLE = {
  outbound: { portal: { name: 'Acme' } },
  edge: { apiUrl: 'https://a1b2c3.execute-api.eu-central-1.amazonaws.com', requestsPerMinute: 2_000 },
  region: 'eu-central-1',
  account: '123456789012',
} as const;
const ENVIRONMENTS = ['dev', 'staging', 'prod'] as const;
const config = {
  ...gateway,
  environments: Object.fromEntries(ENVIRONMENTS.map(name => [name, { ...gateway.environments[name], ...WHOLE }])),
};
const stacksOf = async (environment: string): Promise<readonly Stack[]> => {
  const { stage } = await synthEnvironment(environment, config);
  return stage.node.findAll().filter(it => Stack.isStack(it));
};

it('each function has a log group by whose name `holdfast logs` finds it', async () => {
  const { gateway } = await synthEnvironment('prod');
  const groups = Object.keys(gateway.findResources('AWS::Logs::LogGroup'));
  const functions = Object.entries(gateway.findResources('AWS::Lambda::Function'));
  const found = groups.flatMap(id => /^(\w+?)Logs[0-9A-F]{8}$/.exec(id)?.[1] ?? []);
  expect(found).toEqual(expect.arrayContaining(['Ingest', 'Process', 'Sweep', 'Notify']));
  const ours = functions.filter(
    ([, { Properties }]) => Properties.Handler === 'index.handler' && Properties.LoggingConfig,
  );
  expect(found.length).toBeGreaterThanOrEqual(ours.length - 1);
});

describe.each(ENVIRONMENTS)('in %s', environment => {
  it('the stacks have the names that an upgrade finds them by', async () => {
    const names = (await stacksOf(environment)).filter(it => it.nestedStackParent === undefined);
    expect(names.map(it => [it.node.id, it.stackName])).toEqual([
      ['Data', `holdfast-${environment}-data`],
      ['Gateway', `holdfast-${environment}-gateway`],
      ['Delivery', `holdfast-${environment}-delivery`],
      ['Edge', `holdfast-${environment}-edge`],
    ]);
  });

  it(
    environment === 'dev' ? 'logs go with their stack' : 'logs outlive their stack, and nobody deletes them by mistake',
    async () => {
      const fate = environment === 'dev' ? 'Delete' : 'Retain';
      const isProtected = environment === 'dev' ? undefined : true;
      const groups = (await stacksOf(environment)).flatMap(stack =>
        Object.entries(Template.fromStack(stack).findResources('AWS::Logs::LogGroup')).map(
          ([id, { DeletionPolicy, UpdateReplacePolicy, Properties }]) => [
            `${stack.node.id} ${id}`,
            DeletionPolicy,
            UpdateReplacePolicy,
            Properties.DeletionProtectionEnabled,
          ],
        ),
      );
      expect(groups.length).toBeGreaterThanOrEqual(15);
      expect(groups.filter(([id]) => /AccessLog/.test(String(id)))).toHaveLength(2);
      for (const [id, ...rest] of groups) expect([id, ...rest]).toEqual([id, fate, fate, isProtected]);
    },
  );
});
