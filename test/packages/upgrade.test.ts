/**
 * Claim: a deploy of this version over the one before the packages loses nothing. The old version runs on a local AWS and
 * leaves events pending, waiting, dead, parked by a pause, and in a replay job that has begun; this version is deployed over
 * it, replaces and deletes nothing that holds them, and every event reaches its end with one effect.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { LambdaClient, ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventPk, toEventId } from '#core/glossary.ts';
import { runOnAws } from '#test/e2e/cli-on-aws.ts';
import { GatewayUnderTest } from '#test/e2e/gateway-under-test.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { writeStoredSamples } from '#test/kit/samples/stored-samples.ts';
import { REPOSITORY } from './packed-project.ts';

const exec = promisify(execFile);
/** The last commit before rooms, packages and the sending half. */
const OLD = '44d1fd5';
const MINUTE = 60_000;

interface Left {
  readonly endpoint: string;
  readonly left: Readonly<
    Record<'completed' | 'dead' | 'replayed' | 'waiting' | 'parked' | 'pending', readonly EventPk[]>
  >;
}

describe.skipIf(!isLongRun())('an upgrade from the version before the packages', () => {
  let tree: string;
  let old: ChildProcess;
  let ready: Left;
  let gateway: GatewayUnderTest;

  beforeAll(async () => {
    tree = await mkdtemp(join(tmpdir(), 'holdfast-old-'));
    await exec('sh', ['-c', `git archive ${OLD} | tar x -C "${tree}"`], { cwd: REPOSITORY });
    await symlink(join(REPOSITORY, 'node_modules'), join(tree, 'node_modules'), 'dir');
    await cp(join(import.meta.dirname, 'fill-old-version.ts'), join(tree, 'test/e2e/fill.ts'));
    old = spawn(process.execPath, ['test/e2e/fill.ts'], { cwd: tree, stdio: ['pipe', 'pipe', 'inherit'] });
    ready = await firstLine(old);
    if (process.env['HOLDFAST_WRITE_SAMPLES'])
      await writeStoredSamples(ready.endpoint, process.env['HOLDFAST_WRITE_SAMPLES']);
    gateway = await GatewayUnderTest.onto(ready.endpoint, ({ replaced, deleted }) => {
      expect([...replaced, ...deleted].filter(line => /DynamoDB|SQS|S3::Bucket|Secret/.test(line)).sort()).toEqual([]);
    });
  }, 10 * MINUTE);
  afterAll(async () => {
    await gateway?.stop();
    old?.stdin?.end();
    if (old?.exitCode === null) await Promise.race([once(old, 'exit'), new Promise(done => setTimeout(done, 20_000))]);
    await rm(tree, { recursive: true, force: true });
  }, MINUTE);

  it(
    'finishes every event once, those that need a person with a person',
    async () => {
      const { left } = ready;
      const documents = DynamoDBDocumentClient.from(gateway.clients.dynamo);
      const TableName = gateway.physicalId(/^HandlersPayments/);
      await documents.send(new PutCommand({ TableName, Item: { paymentId: 'schema fixed' } }));
      for (const pk of left.completed) expect((await gateway.read(pk))?.status).toBe('completed');
      for (const pk of left.dead) expect((await gateway.read(pk))?.status).toBe('dead_letter');
      for (const pk of left.parked) expect((await gateway.read(pk))?.status).toBe('deferred');

      const { endpoint, region, credentials } = gateway.aws;
      const lambda = new LambdaClient({ endpoint, region, credentials });
      const { EventSourceMappings: mappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({}));
      for (const { UUID } of mappings) await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: true }));
      const completes = async (pks: readonly EventPk[]): Promise<void> => {
        for (const pk of pks) {
          await gateway.waitFor(pk, item => item.status === 'completed', 4 * MINUTE);
          if (pk.includes('stripe')) continue;
          expect(await gateway.timesApplied(`effect of ${toEventId(pk)}`)).toBe(1);
        }
      };
      await completes(left.pending);
      await completes(left.replayed);

      const cli = async (...args: string[]) => {
        const ran = await runOnAws(gateway, args);
        expect(ran.code, ran.stderr).toBe(0);
        return ran.stdout;
      };
      await cli('resume', 'stripe');
      await completes(left.parked);
      await cli('replay', '--cause', 'schema', '--since', '1h', '--why', 'fixed in the new version', '--yes');
      await completes(left.dead);
      for (const pk of left.waiting)
        expect(['failed', 'deferred', 'dead_letter']).toContain((await gateway.read(pk))?.status);
      expect(await cli('replay', 'ls')).toMatch(/done|finished|completed/);
    },
    12 * MINUTE,
  );
});

async function firstLine(child: ChildProcess): Promise<Left> {
  if (!child.stdout) throw new Error('no output to read');
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('READY ')) return JSON.parse(line.slice('READY '.length)) as Left;
  throw new Error(`the old version ended with ${child.exitCode}`);
}
