/** One run of `holdfast prove` on a place that is deployed: sends, breaks, waits, compares, asks. */
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { InvokeCommand, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { BatchGetCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Deployment } from '#core/config/deployment.ts';
import { type EventPk, toEventId } from '#core/glossary.ts';
import type { Place as Named } from '#core/names.ts';
import { VERSION } from '#core/version.ts';
import { fillLocalSecrets } from '#local/project/stored-secrets.ts';
import type { Progress } from '#local/shell/progress.ts';
import { UserError } from '#local/shell/user-error.ts';
import { openGateway } from '#operator/aws/open-gateway.ts';
import type { Gateway } from '#operator/gateway.ts';
import { ALWAYS_RINGS, BREAKS, type Break, type BreakStage } from './breaks.ts';
import type { Slice, SliceResult } from './function.ts';
import { priceOf, type Share, type Size } from './guard.ts';
import type { Place } from './place.ts';
import { ENDPOINT_KINDS, isKnown, judge, kindOf, type ProveSource, pkOf, sourceOf, type Verdict } from './plan.ts';
import { PROBES } from './probes.ts';
import type { Findings } from './report.ts';
import { makeCustomers, missingOf, publishAll, type SendingStage } from './sending.ts';
import { probeQueue, stacksOf } from './stacks.ts';

export interface RunOptions {
  readonly place: Place;
  readonly deployment: Deployment;
  readonly size: Size;
  readonly share: Share;
  readonly maxDollars: number;
  readonly run: string;
  readonly progress: Progress;
}

/** How long the last events may take to their end. */
const END_MS = { local: 240_000, account: 2_400_000 } as const;
const LOOK_MS = { local: 1_000, account: 10_000 } as const;
/** Events that one call of the function sends. */
const CHUNK = { local: 100, account: 2_000 } as const;
const SEND_LIMIT_MS = 240_000;
const READ_AT_ONCE = 16;

/** The stage that breaks work on, as it is found: also one that an earlier run left behind. */
export async function breakStage({ clients }: Place, named: Named, share: Share): Promise<BreakStage> {
  const stacks = await stacksOf(clients.cloudFormation, named);
  const outputs = new Map(stacks.filter(each => each.isOurs).flatMap(each => [...each.outputs]));
  const output = (name: string): string => {
    const value = outputs.get(name);
    if (value === undefined) throw new UserError(`No stack of ${named.environment} has the output ${name}.`);
    return value;
  };
  const waiting = async (): Promise<number> => {
    const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    const asked = { QueueUrl: output('WorkQueueUrl'), AttributeNames: [...AttributeNames] };
    const { Attributes = {} } = await clients.sqs.send(new GetQueueAttributesCommand(asked));
    return AttributeNames.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
  };
  return { clients, output, reserved: { process: share.process }, waiting, ended: () => Promise.resolve(0) };
}

/** Whatever is broken is whole again. Tries all, and throws nothing: what is removed next need not be whole. */
export async function mendAll(stage: BreakStage): Promise<void> {
  await Promise.allSettled(BREAKS.map(each => Promise.resolve().then(() => each.mend(stage))));
}

export async function proveIt(options: RunOptions): Promise<Findings> {
  const { place, deployment, size, share, run, progress } = options;
  const { environment, outbound } = deployment.config;
  const where = place.emulated ? 'local' : 'account';
  const startedAt = Date.now();
  const { clients } = place;
  const stage = await breakStage(place, deployment.config, share);
  const { output } = stage;
  const gateway = await openGateway(deployment, place.env);
  const secrets = await fillLocalSecrets(clients.secrets, deployment);
  const sources: readonly ProveSource[] = deployment.sources.flatMap(({ source: { id, spec, paths } }) =>
    isKnown(spec.id) ? [{ id, spec: spec.id, path: paths[0] ?? '', secret: secrets.get(id) ?? '' }] : [],
  );
  if (sources.length === 0)
    throw new UserError(
      'prove can sign for the providers generic, stripe, github, shopify, standard-webhooks: add one.',
    );
  await progress.step(
    `Keep ${share.ingest + share.process + share.prove} runs at once for it, and no more`,
    async () => {
      const each = { IngestFunction: share.ingest, ProcessFunction: share.process, ProveFunction: share.prove };
      for (const [name, ReservedConcurrentExecutions] of Object.entries(each))
        await clients.lambda.send(
          new PutFunctionConcurrencyCommand({ FunctionName: output(name), ReservedConcurrentExecutions }),
        );
    },
  );

  const documents = DynamoDBDocumentClient.from(clients.dynamo);
  const table = output('ProveTable');
  const sending: SendingStage | undefined = outbound && {
    api: await gateway.delivery(),
    ...{ documents, table, origin: place.originOf(output), run, size },
  };
  if (sending)
    await progress.step(`Make ${size.customers * ENDPOINT_KINDS.length} endpoints of customers`, () =>
      makeCustomers(sending),
    );

  const comparing: Comparing = { run, sources, gateway, documents, table };
  const sent = { requests: 0, unaccepted: new Set<number>(), forged: new Set<number>(), latencyMs: [] as number[] };
  let upTo = 0;
  let stopped: string | undefined;
  const sendUpTo = async (end: number): Promise<void> => {
    const chunk = CHUNK[where];
    const starts = Array.from({ length: Math.ceil((end - upTo) / chunk) }, (_, at) => upTo + at * chunk);
    const next = starts[Symbol.iterator]();
    const worker = async (): Promise<void> => {
      for (const from of next) {
        const spent = priceOf({ ...size, events: sent.requests });
        if (spent > options.maxDollars) {
          stopped = `$${spent.toFixed(2)} are spent by its own count; --max-dollars is ${options.maxDollars}`;
          return;
        }
        const to = Math.min(end, from + chunk);
        const limits = { atOnce: place.emulated ? 4 : 10, limitMs: SEND_LIMIT_MS };
        const result = await invoke(place, output('ProveFunction'), {
          ...{ run, from, to, url: gateway.apiUrl.replace(/\/$/, ''), sources },
          ...limits,
        });
        sent.requests += result.requests;
        for (const n of result.unaccepted) sent.unaccepted.add(n);
        for (const n of result.forged) sent.forged.add(n);
        sent.latencyMs.push(...result.latencyMs);
      }
    };
    await Promise.all(Array.from({ length: place.emulated ? 1 : share.prove }, worker));
    if (stopped === undefined) upTo = end;
  };

  const part = Math.ceil(size.events / (BREAKS.length + 2));
  await progress.step(`Send ${part} events`, () => sendUpTo(part));
  const breaks: { name: string; bit: boolean; notLocally?: string }[] = [];
  for (const each of BREAKS) {
    if (stopped !== undefined) break;
    await progress.step(`Break: ${each.name}`, async note => {
      const [since, from] = [new Date(), upTo];
      const ended = async (): Promise<number> => {
        const all = await judgeAll(numbersOf(from, upTo), comparing);
        return all.filter(([, verdict]) => verdict === 'right').length / all.length;
      };
      let bit = false;
      try {
        await each.begin(stage);
        await sendUpTo(Math.min(size.events, upTo + part));
        await wait(place.emulated ? each.localHoldMs : each.holdMs);
        bit = await each.bites({ ...stage, ended }, since);
      } finally {
        await each.mend(stage);
      }
      note(bit ? 'and mended' : 'it did not bite');
      const { name, notLocally } = each;
      breaks.push({ name, bit, ...(place.emulated && notLocally !== undefined ? { notLocally } : {}) });
    });
  }
  if (stopped === undefined) await progress.step('Send the rest', () => sendUpTo(size.events));
  if (sending)
    await progress.step(`Publish ${size.customers * size.messages} messages, each twice`, () => publishAll(sending));

  const compared = await progress.step('Wait until each event is at its end, and compare', async note => {
    const deadline = Date.now() + END_MS[where];
    const verdicts = new Map<number, Verdict>();
    let open = numbersOf(0, upTo).filter(n => !sent.unaccepted.has(n));
    const total = open.length;
    for (;;) {
      for (const [n, verdict] of await judgeAll(open, comparing)) verdicts.set(n, verdict);
      open = open.filter(n => verdicts.get(n) === 'open');
      note(`${total - open.length} of ${total}`);
      if (open.length === 0 || Date.now() > deadline) break;
      await wait(LOOK_MS[where]);
    }
    return verdicts;
  });
  const idsOf = (verdict: Verdict): readonly string[] =>
    [...compared].flatMap(([n, is]) => (is === verdict ? [toEventId(pkOf(run, n, sourceOf(n, sources).id))] : []));
  const sendingWrong = sending && (await progress.step('Compare what endpoints got', () => settle(sending, where)));

  const bitten = BREAKS.filter((_, at) => breaks[at]?.bit);
  const isHeld = (each: Break): boolean => !place.emulated || each.localHoldMs >= each.holdMs;
  const rings = [...ALWAYS_RINGS, ...bitten.filter(isHeld).flatMap(each => each.rings)];
  const tooShort = bitten.filter(each => !isHeld(each)).flatMap(each => each.rings);
  const alarms = await progress.step('Read back the alarms', () => waitForAlarms(place, rings, where));
  const probes = await progress.step(`Ask AWS ${PROBES.length} questions`, async () => {
    const asked: { rule: string; seen: true | string; locally?: string }[] = [];
    for (const { rule, locally, ask } of PROBES) {
      const it = { dynamo: clients.dynamo, sqs: clients.sqs, table, queueName: probeQueue(deployment.config) };
      const seen = await ask(it).catch((error: unknown) => (error instanceof Error ? `${error.name}` : String(error)));
      asked.push({ rule, seen, ...(place.emulated && locally !== undefined ? { locally } : {}) });
    }
    return asked;
  });
  const forged = idsOf('forged');
  return {
    environment,
    place: place.name,
    at: new Date(startedAt),
    version: VERSION,
    minutes: Math.ceil((Date.now() - startedAt) / 60_000),
    dollars: priceOf({ ...size, events: sent.requests / 1.3 }),
    events: upTo,
    sources: sources.map(each => each.id),
    requests: sent.requests,
    acknowledged: [...compared.keys()].filter(n => kindOf(n) !== 'forged').length,
    latencyMs: sent.latencyMs,
    wrong: {
      ...{ lost: idsOf('lost'), twice: idsOf('twice'), open: idsOf('open') },
      forged: [...forged, ...[...sent.forged].map(n => `number ${n} was answered 200`)],
    },
    breaks,
    alarms: { ...alarms, tooShort: tooShort.filter(id => !alarms.rang.some(each => each.startsWith(id))) },
    ...(sending && {
      sending: {
        messages: size.customers * size.messages,
        endpoints: size.customers * ENDPOINT_KINDS.length,
        wrong: sendingWrong ?? [],
        kinds: ENDPOINT_KINDS,
      },
    }),
    probes,
    templates: await templatesOf(place, deployment.config),
    ...(stopped !== undefined && { stopped }),
  };
}

async function invoke({ clients }: Place, FunctionName: string, slice: Slice): Promise<SliceResult> {
  const Payload = Buffer.from(JSON.stringify(slice));
  const answer = await clients.lambda.send(new InvokeCommand({ FunctionName, Payload }));
  const text = Buffer.from(answer.Payload ?? []).toString('utf8');
  if (answer.FunctionError !== undefined) throw new UserError(`The function that sends failed: ${text.slice(0, 500)}`);
  return JSON.parse(text) as SliceResult;
}

const numbersOf = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

interface Comparing {
  readonly run: string;
  readonly sources: readonly ProveSource[];
  readonly gateway: Gateway;
  readonly documents: DynamoDBDocumentClient;
  readonly table: string;
}

/** What the record and the effects of each event say. */
async function judgeAll(numbers: readonly number[], it: Comparing): Promise<readonly (readonly [number, Verdict])[]> {
  const found: (readonly [number, Verdict])[] = [];
  const hundreds = Array.from({ length: Math.ceil(numbers.length / 100) }, (_, at) =>
    numbers.slice(100 * at, 100 * at + 100),
  )[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (const part of hundreds) {
      const pks = part.map(n => pkOf(it.run, n, sourceOf(n, it.sources).id));
      const items = new Map((await it.gateway.store.getMany(pks)).map(item => [item.pk, item.status]));
      const times = await effectsOf(pks, it);
      part.forEach((n, at) => {
        const pk = pks[at] as EventPk;
        found.push([n, judge(kindOf(n), { status: items.get(pk), times: times.get(pk) ?? 0 })]);
      });
    }
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, worker));
  return found;
}

async function effectsOf(pks: readonly EventPk[], { documents, table }: Comparing): Promise<Map<EventPk, number>> {
  const ids = new Map(pks.map(pk => [`drill:${toEventId(pk)}`, pk]));
  const times = new Map<EventPk, number>();
  let Keys: Record<string, unknown>[] = [...ids.keys()].map(id => ({ id }));
  while (Keys.length > 0) {
    const asked = new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } });
    const { Responses = {}, UnprocessedKeys = {} } = await documents.send(asked);
    for (const { id, timesApplied } of Responses[table] ?? [])
      times.set(ids.get(String(id)) as EventPk, Number(timesApplied));
    Keys = UnprocessedKeys[table]?.Keys ?? [];
  }
  return times;
}

async function settle(stage: SendingStage, where: 'local' | 'account'): Promise<readonly string[]> {
  const deadline = Date.now() + END_MS[where] / 2;
  for (;;) {
    const missing = await missingOf(stage);
    if (missing.length === 0 || Date.now() > deadline) return missing;
    await wait(LOOK_MS[where]);
  }
}

/** Alarms by the beginnings of their ids. */
async function waitForAlarms(
  place: Place,
  wanted: readonly string[],
  where: 'local' | 'account',
): Promise<{ rang: readonly string[]; missing: readonly string[] }> {
  const deadline = Date.now() + END_MS[where] / 4;
  for (;;) {
    const rang = [...(await place.rang())].sort();
    const missing = wanted.filter(id => !rang.some(each => each.startsWith(id)));
    if (missing.length === 0 || Date.now() > deadline) return { rang, missing };
    await wait(LOOK_MS[where]);
  }
}

async function templatesOf({ clients }: Place, named: Named): Promise<Findings['templates']> {
  const stacks = await stacksOf(clients.cloudFormation, named);
  return await Promise.all(
    stacks.map(async ({ name }) => {
      const { TemplateBody = '' } = await clients.cloudFormation.send(new GetTemplateCommand({ StackName: name }));
      return { name, sha256: createHash('sha256').update(TemplateBody).digest('hex') };
    }),
  );
}
