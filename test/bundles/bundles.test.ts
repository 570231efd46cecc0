/**
 * What a deploy uploads, run as Lambda runs it (test/RESULTS.md): each function in a process of its own, with the
 * environment and the rights of its template, on DynamoDB Local, ElasticMQ and the local AWS. Each call of each journey fails
 * once in each way.
 */
import { mkdtempSync, rmSync } from 'node:fs';
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
import type { Journey } from './journeys/journey.ts';
import { JOURNEYS } from './journeys/journeys.ts';
import { BY_DEFAULT } from './journeys/receiving.ts';
import { openCustomers } from './journeys/sending.ts';
import { callName, type MatrixRow, rowsOfRun, rowsWritten, tableOf, writeMatrix } from './matrix.ts';
import { unreached } from './reached.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { openStage, type Stage } from './stage.ts';
import { tourReceiving, tourSending } from './tour.ts';

const problem = await javaMissing();
/**
 * Of the faults of each call. The short form has the one that no second try of the client hides, which the calls of the
 * sweeper, the slowest, have by default only, and one of the others, which turns from call to call.
 */
function faultsOf({ name, function: by }: Journey, turn: number): readonly CallFault[] {
  if (isLongRun()) return CALL_FAULTS;
  const others = CALL_FAULTS.filter(it => it !== 'aborted');
  const other = others[turn % others.length] as CallFault;
  const isSwept = by === 'Sweep' && JOURNEYS.some(it => it.name === `${BY_DEFAULT}${name}`);
  return isSwept ? [other] : ['aborted', other];
}

/** What no run here reaches, and why. Each line is held: one that nothing needs must go. */
const BEYOND: readonly (readonly [missing: RegExp, why: string])[] = [
  [/: (?:async_hooks|bowser|event-streams|http)\.mjs was not read$/, "the SDK's own, for options that we do not use"],
  [/^(?!Process).*: map-stack\.mjs was not read$/, 'read when a function crashes, and none of these did'],
  [
    /^(?:Process|FanOut|Drain): sqs:(?:(?:Receive|Delete)Message|ChangeMessageVisibility|GetQueueAttributes) was not asked for$/,
    "asked for by Lambda's poller, with the function's role",
  ],
  [/^(?!Ingest).*: public-keys\.mjs was not read$/, 'a request is verified by Ingest, and by nobody else'],
  [
    /^Portal: (?:put-event-type|schema-judge|contacts)\.mjs was not read$/,
    'the catalogue is changed and secrets are sealed anew by the producer; the portal has no route that leads there',
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

/** Calls that only warm a connection: the role need not allow them (adapters/dynamodb/create-dynamodb-client.ts). */
const WARMING = /may not sqs:GetQueueAttributes|may not dynamodb:GetItem/;

describe.skipIf(problem !== undefined)('bundles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bundles-'));
  const project = join(import.meta.dirname, '../fixtures/project');
  const stages: Partial<Record<Stage['name'], Stage>> = {};
  const open = (): readonly Stage[] => Object.values(stages);
  const rows: MatrixRow[] = [];
  /** What each journey calls in every run. */
  const calls = new Map<Pick<MatrixRow, 'journey' | 'function'>, readonly string[]>();
  const spoiledOnce = new Set<string>();
  let services: readonly [JavaService, JavaService, LocalAws] | undefined;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    services = await Promise.all([startDynamoDbLocal(), startElasticMq(), openLocalAws(await freePort(), {})]);
    const [dynamodb, sqs, rest] = services;
    const places = { dynamodb: dynamodb.url, sqs: sqs.url, rest: rest.endpoint };
    for (const name of ['everything', 'sending', 'customers', 'default'] as const)
      stages[name] = await openStage(name, places, join(folder, name), project);
    for (const name of ['sending', 'customers'] as const) await openCustomers(stages[name] as Stage, receiver);
  }, HOUR_MS);
  afterAll(async () => {
    await Promise.all(open().map(stage => stage.stop()));
    await Promise.all((services ?? []).map(service => service.stop()));
    receiver?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it(
    'start, each with the environment of its template',
    async () => {
      const failed: string[] = [];
      const start = async (stage: Stage): Promise<void> => {
        for (const id of stage.processes.keys()) {
          const problem = await stage.start(id);
          if (problem !== undefined) failed.push(`${stage.name} ${id}: ${problem}`);
        }
      };
      await Promise.all(open().map(start));
      expect(failed).toEqual([]);
    },
    HOUR_MS,
  );

  // Each configuration has services of its own but for the servers below them: their journeys go beside each other.
  const ends = new Map<Journey, Promise<readonly string[]>>();
  /** After the journeys of their stages, and beside those of others. */
  const tours: Promise<unknown>[] = [];
  const begin = (): void => {
    for (const { name } of open()) {
      let last: Promise<unknown> = Promise.resolve();
      for (const journey of JOURNEYS.filter(it => it.stage === name)) {
        const end = last.then(() => goThrough(journey));
        last = end.catch(() => undefined);
        ends.set(journey, end);
      }
      if (name === 'everything') tours.push(last.then(() => tourReceiving(stages.everything as Stage)));
      if (name === 'sending') tours.push(last.then(() => tourSending(stages.sending as Stage, receiver.url)));
    }
    // It tries for a minute to reach a provider that is not there.
    tours.push((stages.everything as Stage).invoke('ReconcileProviders', { source: 'stripe' }));
    for (const tour of tours) tour.catch(() => undefined);
  };
  it.each(JOURNEYS.map(journey => [`${journey.name} (${journey.function})`, journey] as const))(
    '%s, with a fault at each call: nothing lost, nothing doubled',
    async (_, journey) => {
      if (ends.size === 0) begin();
      expect(await ends.get(journey)).toEqual([]);
    },
    HOUR_MS,
  );

  it(
    'read each of their files, make each of their calls, and ask for no right that they lack',
    async () => {
      await Promise.all(tours);
      const missing = unreached(open());
      expect(missing.filter(line => !BEYOND.some(([beyond]) => beyond.test(line)))).toEqual([]);
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
    if (isLongRun()) writeMatrix(rows, new Date());
    // Another call than those of the table: a long run makes it anew (`HOLDFAST_LONG=1 npm run test:bundles`).
    expect(rowsWritten()).toEqual(rowsOfRun(calls));
    for (const fault of CALL_FAULTS)
      expect(rows.filter(it => it.fault === fault && it.happened).length).toBeGreaterThan(2);
    expect(rows.filter(it => !it.happened).length).toBeLessThan(rows.length / 10);
  });

  /** Tend does the rest, and then ends with the first call that failed: Lambda counts it (core/outbound/tend/tend.ts). */
  function fails(id: string, line: string): boolean {
    return id === 'Tend' && line.includes('"error":"DependencyError"');
  }

  /** The short form spoils a call of a function in the first journey that makes it; the long one in all. */
  function isChosen({ stage, function: by }: Journey, name: string): boolean {
    const call = `${stage} ${by} ${name}`;
    if (!isLongRun() && spoiledOnce.has(call)) return false;
    spoiledOnce.add(call);
    return true;
  }

  async function goThrough(journey: Journey): Promise<readonly string[]> {
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
      for (const fault of await journey.check(stage, id, { calm: !spoiled, receiver })) wrong.push(`${what}: ${fault}`);
      if (spoiled) rows.push({ journey: journey.name, function: journey.function, ...spoiled, happened });
      return [...new Set(made.map(it => it.name))];
    };
    // Calls of every run: what only a first one made (a start, a lease, a note that is there now) cannot be spoiled again.
    const first = await run();
    const second = await run();
    const { only = /./ } = journey;
    const names = first.filter(name => second.includes(name) && only.test(callName(name)));
    if (names.length === 0) wrong.push('makes no call that could fail');
    calls.set({ journey: journey.name, function: journey.function }, names);
    for (const [at, name] of names.filter(it => isChosen(journey, it)).entries()) {
      for (const fault of faultsOf(journey, at + slug.length)) await run({ name, fault });
    }
    return wrong;
  }
});
