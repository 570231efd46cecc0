/** What somebody stopped outside of the stacks: read of AWS, and told by `doctor` with what to type. */
import { LambdaClient } from '@aws-sdk/client-lambda';
import { expect, it } from 'vitest';
import { functionsIn, readFunctionStops } from '#operator/aws/stopped-functions.ts';
import type { FunctionStops } from '#operator/gateway.ts';
import { QUEUED } from '#operator/health/doctor.ts';
import { CliWorld } from '../cli/cli-world.ts';

it('knows the functions of a stack by its outputs', () => {
  const outputs = {
    DrainFastFunction: 'x-DrainFast',
    OtlpFunction: 'x-Otlp',
    FunctionsTable: 't',
    ApiUrl: 'https://x',
  };
  expect(functionsIn(new Map(Object.entries(outputs)))).toEqual([
    ['drain-fast', 'x-DrainFast'],
    ['otlp', 'x-Otlp'],
  ]);
});

it('reads whether each may run, and its mappings, under its alias too', async () => {
  const client = new LambdaClient({ region: 'eu-central-1' });
  const mappings: Readonly<Record<string, object>> = {
    fan: { UUID: 'one', State: 'Disabled' },
    'drain:live': { UUID: 'two', State: 'Enabled' },
  };
  client.send = (async ({ constructor: { name }, input: { FunctionName: of = '' } }: Asked) => {
    if (name === 'GetFunctionConcurrencyCommand') return of === 'sweep' ? { ReservedConcurrentExecutions: 0 } : {};
    if (of.endsWith(':live') && mappings[of] === undefined)
      throw Object.assign(new Error('no such alias'), { name: 'ResourceNotFoundException' });
    return { EventSourceMappings: [mappings[of] ?? []].flat() };
  }) as never;
  const functions = new Map(['fan', 'drain', 'sweep'].map(name => [`the ${name}`, name]));
  expect(await readFunctionStops(client, functions)).toEqual([
    { name: 'the fan', awsName: 'fan', mayRun: true, mappings: [{ uuid: 'one', state: 'Disabled' }] },
    { name: 'the drain', awsName: 'drain', mayRun: true, mappings: [{ uuid: 'two', state: 'Enabled' }] },
    { name: 'the sweep', awsName: 'sweep', mayRun: false, mappings: [] },
  ]);
});
interface Asked {
  readonly constructor: { readonly name: string };
  readonly input: { readonly FunctionName?: string };
}

const well = (name: string, more: Partial<FunctionStops> = {}): FunctionStops => ({
  ...{ name, awsName: `holdfast-local-${name}`, mayRun: true, mappings: [{ uuid: `u-${name}`, state: 'Enabled' }] },
  ...more,
});

it('doctor names each with the command that starts it again, and the processor once', async () => {
  const cli = new CliWorld();
  cli.stops = [well('ingest', { mappings: [] }), well('fan-out'), well('drain-slow')];
  expect((await cli.run(['doctor'])).stdout).toMatch(/ok +functions +none of 3 is stopped\n/);
  const disabled = { mappings: [{ uuid: 'u-1', state: 'Disabling' }] };
  cli.stops = [
    well('ingest', { mayRun: false, mappings: [] }),
    well('fan-out', disabled),
    well('tend', { mayRun: false, mappings: [] }),
    well('process', disabled),
  ];
  cli.processorState = 'Disabled';
  const { code, stdout } = await cli.run(['doctor'], {
    gateway: { deployment: { ...cli.gateway.deployment, reservedConcurrency: { ingest: 30 } } },
    readDeployment: () => ({ ...cli.gateway.deployment, reservedConcurrency: { ingest: 30 } }),
  });
  expect(code).toBe(1);
  const lines = stdout.split('\n').map(line => line.trim().replaceAll(/ +/g, ' '));
  const at = lines.findIndex(line => line.startsWith('WRONG functions'));
  expect(lines.slice(at, at + 6)).toEqual([
    'WRONG functions ingest never runs: its reserved concurrency is 0',
    'aws lambda put-function-concurrency --function-name holdfast-local-ingest --reserved-concurrent-executions 30',
    'WRONG functions fan-out is given nothing: its event source mapping is Disabling, and its queue waits',
    'aws lambda update-event-source-mapping --uuid u-1 --enabled',
    'WRONG functions tend never runs: its reserved concurrency is 0',
    'aws lambda delete-function-concurrency --function-name holdfast-local-tend',
  ]);
  expect(lines.filter(line => line.startsWith('WRONG functions'))).toHaveLength(3);
  expect(lines.filter(line => line.includes('holdfast processor start'))).toHaveLength(1);
});

it('doctor says of each function with a queue that its event source mapping is gone', async () => {
  const cli = new CliWorld();
  const gone = { mappings: [] };
  cli.stops = [well('ingest', gone), well('process', gone), ...[...QUEUED].map(name => well(name, gone))];
  const { code, stdout } = await cli.run(['doctor']);
  expect(code).toBe(1);
  const deleted = stdout.split('\n').filter(line => line.includes('somebody deleted its event source mapping'));
  expect(deleted.map(line => line.trim().split(/ +/)[2])).toEqual(['fan-out', 'drain-fast', 'drain-slow']);
  expect(stdout).toContain("npx cdk deploy 'local/*' -c environment=local --revert-drift");
});

it('says what to grant where it may not be read, and nothing is wrong for it', async () => {
  const cli = new CliWorld();
  const functionStops = () => Promise.reject(new Error('AccessDenied'));
  const { stdout } = await cli.run(['doctor'], { gateway: { functionStops } });
  expect(stdout).toMatch(/warning +functions +whether each may run cannot be read: .*AccessDenied\n +grant lambda:Get/);
});
