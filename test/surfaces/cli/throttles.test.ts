/** A table is throttled: on call reads which limit it is, as the functions' lines tell it. */
import { expect, it } from 'vitest';
import { toDependencyError } from '#adapters/aws/to-dependency-error.ts';
import { readThrottles } from '#operator/health/throttles.ts';
import { Operator } from '#operator/operator.ts';
import { CliWorld } from './cli-world.ts';

const lineOf = (reason: string, of: string): string => {
  const ThrottlingReasons = [{ reason, resource: `arn:aws:dynamodb:eu-central-1:123456789012:table/${of}` }];
  const thrown = Object.assign(new Error('slow down'), { name: 'ThrottlingException', ThrottlingReasons });
  return JSON.stringify({ stage: 'record', error: toDependencyError('dynamodb', 'PutItem', thrown).message });
};

it.each([
  ['IndexWriteKeyRangeThroughputExceeded', 'one key is hot in Events/index/timeline (1 in 15 min)'],
  ['TableWriteAccountLimitExceeded', "the account's limit is met by Events/index/timeline (1 in 15 min)"],
  ['TableWriteMaxOnDemandThroughputExceeded', 'the maximum that was set is met by Events/index/timeline (1 in 15 min)'],
  ['TableWriteProvisionedThroughputExceeded', 'the provisioned capacity is met by Events/index/timeline (1 in 15 min)'],
  ['TableWriteSomethingNewExceeded', 'SomethingNewExceeded is met by Events/index/timeline (1 in 15 min)'],
])('%s is told by status', async (reason, words) => {
  const { cli, status } = throttledWorld([lineOf(reason, 'Events/index/timeline')]);
  expect((await status()).stdout).toContain(`alarm holdfast-local-ingest-table-throttled-events: ${words}`);
  cli.alarms = cli.alarms.map(alarm => ({ ...alarm, state: 'OK' }));
  expect((await status()).stdout).not.toContain(words);
});

it('the limit that is met most often comes first, and without lines the alarm stands alone', async () => {
  const key = lineOf('TableWriteKeyRangeThroughputExceeded', 'Events');
  const { status } = throttledWorld([lineOf('TableWriteAccountLimitExceeded', 'Payloads'), key, key, 'no JSON']);
  const told = JSON.parse((await status('--json')).stdout) as { readonly throttled_by: readonly string[] };
  expect(told.throttled_by).toEqual([
    'one key is hot in Events (2 in 15 min)',
    "the account's limit is met by Payloads (1 in 15 min)",
  ]);
  expect((await throttledWorld([]).status()).stdout).toMatch(/alarm holdfast-local-ingest-table-throttled-events(?!:)/);
});

it('the lines are read once a minute, however often a screen asks; a failure is tried again', async () => {
  const { cli, gateway, reads } = throttledWorld([lineOf('TableWriteAccountLimitExceeded', 'Events')]);
  let broken = true;
  const read = (...asked: Parameters<typeof gateway.logs.read>) =>
    broken ? Promise.reject(new Error('no network')) : gateway.logs.read(...asked);
  const operator = new Operator({
    ...{ environment: 'local', by: 'ada', program: 'holdfast', clock: cli.world.clock },
    readDeployment: () => cli.gateway.deployment,
    openGateway: () => Promise.resolve({ ...cli.gateway, logs: { read } }),
  });
  await expect(readThrottles(operator)).rejects.toThrow('no network');
  broken = false;
  const words = ["the account's limit is met by Events (1 in 15 min)"];
  for (let n = 0; n < 5; n += 1) {
    expect(await readThrottles(operator)).toEqual(words);
    await cli.world.clock.advanceBy(10_000);
  }
  expect(reads()).toBe(1);
  await cli.world.clock.advanceBy(10_000);
  await readThrottles(operator);
  expect(reads()).toBe(2);
});

function throttledWorld(lines: readonly string[]) {
  const cli = new CliWorld();
  const name = 'holdfast-local-ingest-table-throttled-events';
  cli.alarms = [{ name, state: 'ALARM', since: cli.world.clock.now(), reason: '', description: 'page: x' }];
  let reads = 0;
  // As CloudWatch chooses: %…% is a regular expression.
  const read = async (at: number, pattern: string) => {
    reads += 1;
    const [, expression] = /^%(.*)%$/.exec(pattern) ?? [];
    if (expression === undefined) throw new RangeError(`no pattern of lines that are no JSON: ${pattern}`);
    return lines.filter(text => new RegExp(expression).test(text)).map(text => ({ at, from: 'ingest', text }));
  };
  const gateway = { logs: { read } };
  const status = (...args: string[]) => cli.run(['status', ...args], { gateway });
  return { cli, gateway, status, reads: () => reads };
}
