/** `holdfast logs`: the lines of one source or event, an error with each place on its way, and nothing of the metrics. */
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { expect, it } from 'vitest';
import { FUNCTION_NAMES, OUTBOUND_FUNCTION_NAMES } from '#lib/bundling/function-names.ts';
import { cloudWatchLogReader } from '#operator/aws/cloudwatch-log-reader.ts';
import type { LogLine } from '#operator/gateway.ts';
import { CliWorld } from './cli-world.ts';

const lineOf = (at: number, from: string, fields: object): LogLine => ({ at, from, text: JSON.stringify(fields) });

async function world() {
  const cli = new CliWorld();
  cli.world.start();
  await cli.happen(['good-1', 'good-2']);
  const at = cli.world.clock.now();
  const lines = [
    lineOf(at, 'ingest', { level: 'INFO', stage: 'refused', source: 'pay', cause: 'mismatch' }),
    lineOf(at + 1, 'process', { environment: 'local', source: 'shop', Attempts: 1, _aws: {} }),
    lineOf(at + 2, 'process', {
      level: 'WARN',
      stage: 'attempt',
      source: 'shop',
      event_id: 'evt_shop.good-1',
      error: 'TypeError at handlers/pay.ts:14: no lines',
      stack: ['handlers/pay.ts:14:9', 'holdfast:core/inbound/process/run-handler.ts:109:7'],
    }),
    lineOf(at + 3, 'process', { level: 'INFO', stage: 'attempt', source: 'shop', event_id: 'evt_shop.good-2' }),
    lineOf(at + 4, 'process', { level: 'ERROR', stage: 'dead_letter', source: 'shop', pk: 'shop#good-1' }),
    { at: at + 4, from: 'sweep', text: 'START RequestId: 67499fe8 Version: $LATEST' },
    { at: at + 4, from: 'sweep', text: 'REPORT RequestId: 67499fe8\tDuration: 1655 ms' },
    { at: at + 4, from: 'sweep', text: 'REPORT RequestId: 67499fe9\tDuration: 55000 ms\tStatus: timeout' },
    { at: at + 5, from: 'sweep', text: 'Task timed out after 60.00 seconds\n' },
  ];
  const asked: string[] = [];
  const logs = {
    read: async (since: number, pattern: string, of?: string) => {
      asked.push(pattern);
      return lines.filter(line => line.at >= since && (of === undefined || line.from === of));
    },
  };
  return { cli, asked, lines, run: (...args: string[]) => cli.run(['logs', ...args], { gateway: { logs } }), logs };
}

it('of an event are every line of it, with the places of an error', async () => {
  const { run, asked } = await world();
  const { code, stdout } = await run('--event', 'good-1');
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/process +WARN +attempt .*error=TypeError at handlers\/pay\.ts:14: no lines$/),
    '    at handlers/pay.ts:14:9',
    '    at holdfast:core/inbound/process/run-handler.ts:109:7',
    expect.stringMatching(/process +ERROR +dead_letter .*pk=shop#good-1/),
  ]);
  expect(asked).toEqual(['{ $.event_id = "evt_shop.good-1" || $.pk = "shop#good-1" }']);
});

it('of one attempt are its lines alone, and which attempts there are', async () => {
  const { cli, run, lines } = await world();
  const { startedAt = 0 } = cli.world.item('good-1', 'shop') ?? {};
  lines.splice(
    0,
    lines.length,
    lineOf(startedAt + 2, 'process', {
      ...{ level: 'INFO', stage: 'attempt', attempt: 1 },
      event_id: 'evt_shop.good-1',
    }),
  );
  expect((await run('--event', 'good-1', '--attempt', '1')).stdout).toMatch(/^\S+ process +INFO +attempt attempt=1 /);
  const wrong = await run('--event', 'good-1', '--attempt', '2');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/--attempt: "2"\n +allowed: 1\n/)]);
  expect((await run('--attempt', '1')).stderr).toContain('--attempt without an event');
  lines.splice(0);
  expect((await run('--event', 'good-1', '--attempt', '1')).stderr).toMatch(/No line yet|No function wrote a line/);
});

it('of a source leave out the others and the metrics; of all are also those of Lambda itself', async () => {
  const { run } = await world();
  const ofShop = (await run('--source', 'shop', '--json')).stdout.trimEnd().split('\n');
  expect(ofShop.map(line => JSON.parse(line).stage)).toEqual(['attempt', 'attempt', 'dead_letter']);
  const all = (await run()).stdout;
  expect(all).toMatch(/ingest +INFO +refused/);
  expect(all).toContain('Task timed out after 60.00 seconds');
  expect(all).not.toContain('_aws');
  // Every run has these: as errors they would hide what is one.
  expect(all).not.toContain('67499fe8');
  expect(all).toMatch(/sweep +ERROR +message=REPORT .*Status: timeout/);
  expect(await run('--source', 'shp')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean shop?'),
  });
});

it('with --tail go on with each line once, until Ctrl-C', async () => {
  const { cli, lines, logs } = await world();
  const { clock } = cli.world;
  const stop = new AbortController();
  const late = lineOf(clock.now() + 3_000, 'process', { level: 'INFO', stage: 'late', source: 'shop' });
  clock.after(3_000, () => void lines.push(late));
  clock.after(8_000, () => stop.abort());
  const { stdout } = await cli.run(['logs', '--tail', '--since', '1h'], { gateway: { logs }, signal: stop.signal });
  expect(stdout.match(/ late /g)).toHaveLength(1);
  expect(stdout.match(/ refused /g)).toHaveLength(1);
});

it('of one function, of errors, of lines with a value, each narrows what is shown', async () => {
  const { run, asked } = await world();
  expect((await run('--of', 'process', '--errors')).stdout.match(/^\d/gm)).toHaveLength(2);
  expect((await run('--of', 'ingest', '--where', 'cause=mismatch', 'source=pay')).stdout).toMatch(/refused/);
  expect((await run('--where', 'cause=stale')).stdout).toBe('');
  expect(asked).toEqual(['', '{ ($.cause = "mismatch") && ($.source = "pay") }', '{ $.cause = "stale" }']);
  for (const [wrong, says] of [
    [['--of', 'proces'], 'did you mean process?'],
    [['--where', 'mismatch'], '--where cause=mismatch'],
  ] as const)
    expect(await run(...wrong)).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
});

it('offers the log of each function that a stack may have, and that of the requests', async () => {
  const { run } = await world();
  const { stderr } = await run('--of', 'nothing-like-it');
  const sending = OUTBOUND_FUNCTION_NAMES.flatMap(name => (name === 'drain' ? ['drain-fast', 'drain-slow'] : [name]));
  expect(stderr).toContain([...FUNCTION_NAMES, ...sending, 'requests'].join(', '));
});

it('finds the log of each function of a stack with more than a hundred resources, page by page', async () => {
  const group = (LogicalResourceId: string) => ({
    ...{ ResourceType: 'AWS::Logs::LogGroup', LogicalResourceId, PhysicalResourceId: LogicalResourceId },
  });
  const pages = [[group('IngestLogs41B5EF21'), group('FrontDoorAccessLog77186E72')], [group('DrainFastLogsBC2E930C')]];
  const cloudFormation = {
    send: async ({ input }: { input: { NextToken?: string } }) => ({
      StackResourceSummaries: pages[Number(input.NextToken ?? 0)],
      ...(input.NextToken === undefined && { NextToken: '1' }),
    }),
  };
  const read: string[] = [];
  const logs = {
    send: async ({ input }: { input: { logGroupName: string } }) => ({
      events: [],
      read: read.push(input.logGroupName),
    }),
  };
  Object.setPrototypeOf(cloudFormation, CloudFormationClient.prototype);
  const reader = cloudWatchLogReader({
    ...{ cloudFormation: cloudFormation as never, logs: logs as never, stackNames: ['one'], filters: true },
  });
  for (const name of ['requests', 'drain-fast', undefined]) await reader.read(0, '', name);
  expect(read).toEqual([
    'FrontDoorAccessLog77186E72',
    'DrainFastLogsBC2E930C',
    'IngestLogs41B5EF21',
    'DrainFastLogsBC2E930C',
  ]);
});
