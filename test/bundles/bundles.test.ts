/**
 * What a deploy uploads, run as Lambda runs it (docs/testing.md): each function in a process of its own, with the
 * environment and the rights of its template, on DynamoDB Local, ElasticMQ and the local AWS. Each call of each journey fails
 * once in each way.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS } from '#core/time.ts';
import { type LocalAws, openLocalAws } from '#local/emulator/emulator.ts';
import {
  type JavaService,
  javaMissing,
  startDynamoDbLocal,
  startElasticMq,
} from '#test/adapters/contracts/java-services.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { freePort } from '#test/kit/servers/free-port.ts';
import { CALL_FAULTS, type CallFault } from './fault-gate.ts';
import { JOURNEYS, type Journey } from './journeys.ts';
import { type MatrixRow, tableOf, writeMatrix } from './matrix.ts';
import { unreached } from './reached.ts';
import { openStage, type Stage } from './stage.ts';
import { openCustomer, tourReceiving, tourSending } from './tour.ts';

const problem = await javaMissing();
/**
 * Of the faults of each call. The short form has the one that no second try of the client hides, and one of the others, which
 * turns from call to call.
 */
function faultsOf(turn: number): readonly CallFault[] {
  if (isLongRun()) return CALL_FAULTS;
  const others = CALL_FAULTS.filter(it => it !== 'aborted');
  return ['aborted', others[turn % others.length] as CallFault];
}

/** What no run here reaches, and why. Each line is held: one that nothing needs must go. */
const BEYOND: readonly (readonly [missing: RegExp, why: string])[] = [
  [/: (?:async_hooks|bowser|event-streams|http)\.mjs was not read$/, "the SDK's own, for options that we do not use"],
  [/^(?!Process).*: map-stack\.mjs was not read$/, 'read when a function crashes, and none of these did'],
  [
    /^(?:Process|FanOut|Drain): sqs:(?:Receive|Delete)Message was not asked for$/,
    "asked for by Lambda's poller, with the function's role",
  ],
  [
    /^(?!Ingest|Process|Reconcile).*: \w+-keys\.txt was not read$/,
    'of providers: what we send is deflated without a dictionary',
  ],
  [
    /^(?:ReconcileProviders: |Probe: dynamodb|Ingest: fetch-guarded)/,
    'behind a public https address, which is not on this machine',
  ],
];

/**
 * What no journey goes through yet: work that is left. A line more fails; in the long run, so does one that is reached.
 */
const NOT_YET: readonly string[] = [
  'Audit: dynamodb:UpdateItem was not asked for',
  'Audit: lazy-s3-client.mjs was not read',
  'Audit: s3:GetObject was not asked for',
  'Audit: s3:PutObject was not asked for',
  'DeliveryApi: dynamodb:ConditionCheckItem was not asked for',
  'DeliveryApi: lazy-s3-client.mjs was not read',
  'DeliveryApi: public-keys.mjs was not read',
  'DeliveryApi: s3:GetObject was not asked for',
  'DeliveryApi: s3:PutObject was not asked for',
  'Drain: dynamodb:PutItem was not asked for',
  'Drain: public-keys.mjs was not read',
  'Drain: sqs:GetQueueAttributes was not asked for',
  'Drain: sqs:SendMessage was not asked for',
  'FanOut: dynamodb:PutItem was not asked for',
  'FanOut: lazy-s3-client.mjs was not read',
  'FanOut: public-keys.mjs was not read',
  'FanOut: s3:GetObject was not asked for',
  'FanOut: s3:PutObject was not asked for',
  'FanOut: sqs:ChangeMessageVisibility was not asked for',
  'Ingest: public-keys.mjs was not read',
  'Portal: dynamodb:BatchGetItem was not asked for',
  'Portal: dynamodb:DeleteItem was not asked for',
  'Portal: dynamodb:PutItem was not asked for',
  'Portal: dynamodb:Query was not asked for',
  'Portal: dynamodb:UpdateItem was not asked for',
  'Portal: lazy-s3-client.mjs was not read',
  'Portal: public-keys.mjs was not read',
  'Portal: put-event-type.mjs was not read',
  'Portal: s3:GetObject was not asked for',
  'Portal: schema-judge.mjs was not read',
  'Portal: sqs:SendMessage was not asked for',
  'Probe: public-keys.mjs was not read',
  'Process: public-keys.mjs was not read',
  'Process: secretsmanager:GetSecretValue was not asked for',
  'Publish: dynamodb:UpdateItem was not asked for',
  'Publish: public-keys.mjs was not read',
  'Publish: schema-judge.mjs was not read',
  'Sweep: sqs:DeleteMessage was not asked for',
  'Tend: dynamodb:DeleteItem was not asked for',
  'Tend: lazy-s3-client.mjs was not read',
  'Tend: public-keys.mjs was not read',
  'Tend: s3:GetObject was not asked for',
  'Tend: s3:PutObject was not asked for',
];

/** Calls that only warm a connection: the role need not allow them (adapters/dynamodb/create-dynamodb-client.ts). */
const WARMING = /may not sqs:GetQueueAttributes|may not dynamodb:GetItem/;

describe.skipIf(problem !== undefined)('bundles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bundles-'));
  const project = join(import.meta.dirname, '../fixtures/project');
  const stages: Partial<Record<Stage['name'], Stage>> = {};
  const open = (): readonly Stage[] => Object.values(stages);
  const rows: MatrixRow[] = [];
  let services: readonly [JavaService, JavaService, LocalAws] | undefined;
  /** A customer's endpoint. */
  const receiver = createServer((request, response) => {
    request.resume();
    request.once('end', () => response.end('ok'));
  });
  let url = '';

  beforeAll(async () => {
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    services = await Promise.all([startDynamoDbLocal(), startElasticMq(), openLocalAws(await freePort(), {})]);
    const [dynamodb, sqs, rest] = services;
    const places = { dynamodb: dynamodb.url, sqs: sqs.url, rest: rest.endpoint };
    for (const name of ['everything', 'sending', 'default'] as const)
      stages[name] = await openStage(name, places, join(folder, name), project);
    await openCustomer(stages.sending as Stage, `${url}/in`);
  }, HOUR_MS);
  afterAll(async () => {
    await Promise.all(open().map(stage => stage.stop()));
    await Promise.all((services ?? []).map(service => service.stop()));
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it(
    'start, each with the environment of its template',
    async () => {
      const failed: string[] = [];
      for (const stage of open()) {
        for (const id of stage.processes.keys()) {
          const problem = await stage.start(id);
          if (problem !== undefined) failed.push(`${stage.name} ${id}: ${problem}`);
        }
      }
      expect(failed).toEqual([]);
    },
    HOUR_MS,
  );

  describe.each(JOURNEYS)('$name ($function)', journey => {
    it('with a fault at each call: nothing lost, nothing doubled', () => goThrough(journey), HOUR_MS);
  });

  it(
    'read each of their files, make each of their calls, and ask for no right that they lack',
    async () => {
      await tourReceiving(stages.everything as Stage);
      await tourSending(stages.sending as Stage, url);
      const missing = unreached(open());
      const known = (line: string): boolean => NOT_YET.includes(line) || BEYOND.some(([beyond]) => beyond.test(line));
      expect(missing.filter(line => !known(line))).toEqual([]);
      // Which faults a run has decides what of the rest it comes to: the run of all of them says what may go.
      if (isLongRun()) expect(NOT_YET.filter(line => !missing.includes(line))).toEqual([]);
      expect(BEYOND.filter(([beyond]) => !missing.some(line => beyond.test(line)))).toEqual([]);
      const denied = open().flatMap(stage => stage.gate.denied.filter(line => !WARMING.test(line)));
      expect([...new Set(denied)]).toEqual([]);
    },
    HOUR_MS,
  );

  it('crash in no invocation of all these', () => {
    const crashed = open().flatMap(stage =>
      stage.printed.filter(({ id, line }) => line.includes('"stage":"crashed"') && !fails(id, line)),
    );
    expect(crashed.map(({ id, line }) => `${id}: ${line.slice(0, 600)}`)).toEqual([]);
  });

  it('went through each fault', () => {
    const table = tableOf(rows);
    console.log(table);
    if (isLongRun()) writeMatrix(rows);
    for (const fault of CALL_FAULTS)
      expect(rows.filter(it => it.fault === fault && it.happened).length).toBeGreaterThan(2);
    expect(rows.filter(it => !it.happened).length).toBeLessThan(rows.length / 10);
  });

  /** Tend does the rest, and then ends with the first call that failed: Lambda counts it (core/outbound/tend/tend.ts). */
  function fails(id: string, line: string): boolean {
    return id === 'Tend' && line.includes('"error":"DependencyError"');
  }

  async function goThrough(journey: Journey): Promise<void> {
    const stage = stages[journey.stage] as Stage;
    const slug = journey.name.replace(/\W+/g, '-');
    const wrong: string[] = [];
    let n = 0;
    const run = async (spoiled?: { readonly name: string; readonly fault: CallFault }): Promise<readonly string[]> => {
      const id = `${slug}-${n++}`;
      const what = spoiled ? `${spoiled.fault} at ${spoiled.name}` : 'without a fault';
      await journey.prepare(stage, id);
      const from = stage.gate.calls.length;
      if (spoiled) stage.gate.spoil({ caller: journey.function, ...spoiled });
      await journey.act(stage, id).catch(error => wrong.push(`${what}: ${String(error).slice(0, 800)}`));
      const happened = stage.gate.calm();
      const made = stage.gate.calls.slice(from).filter(it => it.caller === journey.function);
      for (const fault of await journey.check(stage, id)) wrong.push(`${what}: ${fault}`);
      if (spoiled) rows.push({ journey: journey.name, function: journey.function, ...spoiled, happened });
      return [...new Set(made.map(it => it.name))];
    };
    // Calls of every run: what only a first one made (a start, a lease, a note that is there now) cannot be spoiled again.
    const first = await run();
    const second = await run();
    const names = first.filter(name => second.includes(name));
    expect(names.length).toBeGreaterThan(0);
    for (const [at, name] of names.entries()) {
      for (const fault of faultsOf(at + slug.length)) await run({ name, fault });
    }
    expect(wrong).toEqual([]);
  }
});
