/** The mapping of the queue is found under the function, and with a canary under its alias. */
import { LambdaClient } from '@aws-sdk/client-lambda';
import { expect, it } from 'vitest';
import { lambdaProcessor } from '#operator/aws/lambda-processor.ts';

function clientWith(mappings: Readonly<Record<string, string>>) {
  const client = new LambdaClient({ region: 'eu-central-1' });
  const sent: object[] = [];
  client.send = (async ({ input }: { input: { FunctionName?: string; UUID?: string } }) => {
    sent.push(input);
    if (input.FunctionName?.endsWith(':live') && mappings[input.FunctionName] === undefined)
      throw Object.assign(new Error('no such alias'), { name: 'ResourceNotFoundException' });
    const UUID = mappings[input.FunctionName ?? ''];
    return { EventSourceMappings: UUID === undefined ? [] : [{ UUID, State: 'Enabled' }] };
  }) as never;
  return { client, sent };
}

it.each([
  ['process', { process: 'one' }, 'one'],
  ['process, by its alias', { 'process:live': 'two' }, 'two'],
])('%s', async (_where, mappings, UUID) => {
  const { client, sent } = clientWith(mappings);
  const processor = lambdaProcessor(client, 'process');
  expect(await processor.state()).toBe('Enabled');
  await processor.set(false);
  expect(sent.at(-1)).toEqual({ UUID, Enabled: false });
});

it('says that somebody deleted it where there is none, with and without an alias', async () => {
  const { client } = clientWith({});
  await expect(lambdaProcessor(client, 'process').state()).rejects.toThrow(
    "process has no event source mapping, so somebody deleted it. A deploy alone does not bring it back: npx cdk deploy '<environment>/*' -c environment=<environment> --revert-drift",
  );
});
