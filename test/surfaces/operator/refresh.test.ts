/** A console that runs takes the configuration of a deploy: once the file was written and the environment deployed since. */
import { expect, it } from 'vitest';
import type { Deployment } from '#core/config/deployment.ts';
import type { Gateway } from '#operator/gateway.ts';
import { Operator } from '#operator/operator.ts';

const deploymentOf = (...ids: readonly string[]): Deployment =>
  ({ sources: ids.map(id => ({ source: { id } })) }) as unknown as Deployment;

function world() {
  const is = { writtenAt: 1, deployedAt: 10, opened: 0, next: async () => deploymentOf('stripe', 'github') };
  const operator = new Operator({
    ...{ environment: 'local', clock: { now: () => 0 }, by: 'ada', program: 'holdfast' },
    readDeployment: () => deploymentOf('stripe'),
    openGateway: async deployment => {
      is.opened += 1;
      return { deployment, deployedAt: is.deployedAt } as unknown as Gateway;
    },
    reread: { writtenAt: () => is.writtenAt, deployment: () => is.next() },
  });
  return { is, operator };
}

it('asks nobody while the file is as it was, and waits for the deploy once it was written', async () => {
  const { is, operator } = world();
  const before = await operator.gateway();
  is.deployedAt = 20;
  expect([await operator.refresh(), is.opened]).toEqual([false, 1]);
  is.deployedAt = 10;
  is.writtenAt = 2;
  expect(await operator.refresh()).toBe(false);
  expect([operator.sourceIds, await operator.gateway()]).toEqual([['stripe'], before]);
  is.deployedAt = 20;
  expect(await operator.refresh()).toBe(true);
  expect(operator.sourceIds).toEqual(['stripe', 'github']);
  expect((await operator.gateway()).deployment).toBe(operator.deployment);
  expect(await operator.refresh()).toBe(false);
});

it('keeps what it has where the new file cannot be read, and tries again', async () => {
  const { is, operator } = world();
  await operator.gateway();
  Object.assign(is, { writtenAt: 2, deployedAt: 20, next: () => Promise.reject(new SyntaxError('a comma')) });
  await expect(operator.refresh()).rejects.toThrow('a comma');
  expect(operator.sourceIds).toEqual(['stripe']);
  is.next = async () => deploymentOf('slack');
  expect(await operator.refresh()).toBe(true);
  expect(operator.sourceIds).toEqual(['slack']);
});
