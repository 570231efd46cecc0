/**
 * The process that benchmark (b) measures: handlers with ports that do nothing, the deployed bundles against the
 * stand-ins, and the floors of both, in interleaved blocks. Prints CPU microseconds per event and round as JSON.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, SQSEvent } from 'aws-lambda';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { systemAddresses, systemClock, systemIds, systemRandom, systemTimer } from '#adapters/system.ts';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { resolveConfig } from '#core/config/resolve-config.ts';
import { defineHandlers, done } from '#core/handler/handler-contract.ts';
import type { IngestPorts } from '#core/inbound/ingest/ingest-ports.ts';
import { RefusedSlots } from '#core/inbound/ingest/refused-slots.ts';
import type { EventUpdate } from '#core/inbound/ports.ts';
import type { ProcessPorts } from '#core/inbound/process/process-ports.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { parseEventItem } from '#core/inbound/protocol/parse-event-item.ts';
import { Breaker } from '#core/retry/breaker.ts';
import { handleRequest } from '#lambdas/ingest/handle-request.ts';
import { replyToErrors } from '#lambdas/ingest/reply-to-errors.ts';
import { handleBatch } from '#lambdas/process/handle-batch.ts';
import { flushTelemetry } from '#lambdas/shared/flush-telemetry.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { providerEvent } from '#test/kit/events/provider-events.ts';
import { LOOPBACK_SECRET, loopbackEnvironment, type SeenCall } from '../loopback/fake-aws.ts';
import { callAll } from '../loopback/raw-http.mjs';
import { apiEventOf, sqsEventOf } from '../loopback/requests.ts';
import { cpuPerEvent } from '../measure/cpu-blocks.ts';

const { ROUNDS = '21', BUNDLES = '', PLAIN_BUNDLES = '', FAKE_URL = '', PLAIN_URL = '' } = process.env;
const BATCH = 10;
/** Events of a block: short, so that the blocks of a round share what disturbs the machine. */
const BLOCK = { noop: 120, client: 20 };
/** Events before anything is measured, so that all code is compiled. */
const WARM_UP = { noop: 1_200, client: 200 };
const context = { getRemainingTimeInMillis: () => 30_000 };

const config = resolveConfig(gateway, 'prod', PROVIDERS);
// GitHub pushes only: both their provider and their handler are of the shipped configuration.
const events = Array.from({ length: 120 }, (_, at) => providerEvent(3 * at + 1, Date.now()));
const requests = events.map(event => apiEventOf(event, LOOPBACK_SECRET, Date.now()));
const batches = Array.from({ length: 12 }, (_, at) =>
  sqsEventOf(events.slice(BATCH * at, BATCH * (at + 1)), Date.now()),
);
const bodyShas = new Map(batches.flatMap(batch => batch.Records.map(it => bodyShaOf(it.body))));
/** The last metric line that was written, by whichever handler. */
let lastLine = '';
const keepLine = (line: string): void => {
  if (line.includes('"_aws"')) lastLine = line;
};
const telemetry = new EmfTelemetry({ environment: 'prod', level: config.logLevel, write: keepLine });

function bodyShaOf(body: string): [pk: string, sha: string] {
  const message = JSON.parse(body) as { pk: string; bodySha: string };
  return [message.pk, message.bodySha];
}

const nothing = async (): Promise<undefined> => undefined;
const shared = {
  blobs: { put: nothing, get: nothing },
  queue: { send: nothing },
  crypto: nodeCrypto,
  codec: nodeCodec,
  addresses: systemAddresses,
  clock: systemClock,
  ids: systemIds,
  random: systemRandom,
  timer: systemTimer,
  telemetry,
};

function noopIngest() {
  const ports: IngestPorts = {
    ...shared,
    store: {
      insert: async item => ({ kind: 'applied', item }),
      update: async update => ({ kind: 'applied', item: itemOf(update) }),
      note: nothing,
    },
    payloads: { putBody: nothing, putRefused: nothing },
    refused: new RefusedSlots(systemRandom),
    secrets: {
      get: async () => ({ kind: 'secret', secret: { current: LOOPBACK_SECRET } }),
      refresh: async () => false,
      pair: async () => 'closed',
    },
  };
  return middy(handleRequest(config.sources, ports, config))
    .use(flushTelemetry(telemetry))
    .use(replyToErrors(telemetry));
}

function noopProcess() {
  const ports: ProcessPorts = {
    ...shared,
    store: {
      insert: async item => ({ kind: 'applied', item }),
      update: async update => ({ kind: 'applied', item: itemOf(update) }),
      note: nothing,
      transact: async () => ({ kind: 'applied' }),
      readItem: nothing,
    },
    payloads: {
      putBody: nothing,
      getBody: nothing,
      raiseBody: async () => 'raised',
      putDetail: nothing,
      getDetail: nothing,
      putRefused: nothing,
      listRefused: async () => [],
      getStep: nothing,
      keepStep: async item => item,
    },
    dead: { send: nothing },
    receipts: { hide: nothing },
    pauses: { isPaused: async () => false },
    breaker: new Breaker(),
    handlers: defineHandlers([{ source: '*', type: '*', handle: async () => done({ actionTaken: 'counted' }) }]),
  };
  const rules = { ...config, sources: new Map(config.sources.map(it => [it.id, it])) };
  return middy(handleBatch(ports, rules), { timeoutEarlyInMillis: 0 }).use(flushTelemetry(telemetry));
}

/** The record after a claim, as the table would return it. */
function itemOf(update: EventUpdate): EventItem {
  const now = Date.now();
  return parseEventItem({
    pk: update.pk,
    status: 'processing',
    schemaVersion: 1,
    gen: 1,
    run: 1,
    attempts: 1,
    resends: 0,
    provider: 'github',
    eventType: 'push',
    ingestId: '6f1c1f0e-8d8d-4f0e-9a55-0d6f6a1f3c11',
    bodySha: bodyShas.get(update.pk) ?? '',
    size: 5_095,
    receivedAt: now,
    updatedAt: now,
    timelineHour: 'github#2026-11-22T03',
    timelineAt: `${now}#x`,
    ...update.set,
  });
}

/** Floor A: what every receiver of webhooks does, whatever it is made of. */
function hashAndParse(count: number): void {
  for (let at = 0; at < count; at++) {
    const { body = '', headers } = requests[at % requests.length] as APIGatewayProxyEventV2;
    const bytes = Buffer.from(body, 'utf8');
    const mac = createHmac('sha256', LOOPBACK_SECRET).update(bytes).digest();
    const given = Buffer.from((headers['x-hub-signature-256'] ?? '').slice('sha256='.length), 'hex');
    if (!timingSafeEqual(mac, given)) throw new Error('the floor refuses a genuine request');
    JSON.parse(bytes.toString('utf8'));
  }
}

type IngestHandler = (event: APIGatewayProxyEventV2, context: unknown) => Promise<{ statusCode: number; body: string }>;
type ProcessHandler = (event: SQSEvent, context: unknown) => Promise<{ batchItemFailures: unknown[] }>;

function ingestBlock(handler: IngestHandler) {
  return async (count: number): Promise<void> => {
    for (let at = 0; at < count; at++) {
      const answer = await handler(requests[at % requests.length] as APIGatewayProxyEventV2, context);
      if (answer.statusCode !== 200) throw new Error(`ingest answered ${answer.statusCode}: ${answer.body}`);
    }
  };
}

function processBlock(handler: ProcessHandler) {
  return async (count: number): Promise<void> => {
    for (let at = 0; at < count / BATCH; at++) {
      const { batchItemFailures } = await handler(batches[at % batches.length] as SQSEvent, context);
      // A dead letter would be an answer too, and cost less.
      if (batchItemFailures.length > 0 || !lastLine.includes(`"Completed":${BATCH}`)) {
        throw new Error(`process did not complete ${BATCH} records: ${lastLine}`);
      }
    }
  };
}

/** The calls one block of a bundle made for one unit of work, to be repeated by bare http. */
async function recorded(work: () => Promise<unknown>): Promise<readonly (SeenCall & { url: string })[]> {
  await fetch(PLAIN_URL);
  await work();
  const seen = (await (await fetch(PLAIN_URL)).json()) as readonly SeenCall[];
  return seen.map(call => ({ ...call, url: FAKE_URL }));
}

const written = process.stdout.write;
// The bundles' log lines go where Lambda's would cost nothing of ours to read.
process.stdout.write = ((line: string) => {
  keepLine(line);
  return true;
}) as typeof process.stdout.write;
await fetch(PLAIN_URL, {
  method: 'POST',
  headers: { 'x-amz-target': 'Bench.Remember' },
  body: JSON.stringify({ bodyShas: Object.fromEntries(bodyShas) }),
});
/** The handlers of a folder of bundles, whose clients call AWS at `url`. */
async function load(folder: string, url: string): Promise<{ ingest: IngestHandler; process: ProcessHandler }> {
  Object.assign(process.env, loopbackEnvironment(url));
  const handler = async (name: string) => (await import(`file://${join(folder, name, 'index.mjs')}`)).handler;
  return { ingest: await handler('ingest'), process: await handler('process') };
}
const { ingest: bundledIngest, process: bundledProcess } = await load(BUNDLES, FAKE_URL);
const plain = await load(PLAIN_BUNDLES, PLAIN_URL);
const ingestCalls = await recorded(() => ingestBlock(bundledIngest)(1));
// The pause flags are read once in five seconds: not a call of each batch.
await processBlock(bundledProcess)(BATCH);
const processCalls = await recorded(() => processBlock(bundledProcess)(BATCH));

const rawBlock = (calls: Parameters<typeof callAll>[0], perCall: number) => async (count: number) => {
  for (let at = 0; at < count / perCall; at++) await callAll(calls);
};
const atPlain = (calls: Parameters<typeof callAll>[0]) => calls.map(call => ({ ...call, url: PLAIN_URL }));
const noop = { count: BLOCK.noop };
const client = { count: BLOCK.client };
const variants = {
  floor: { block: hashAndParse, ...noop },
  ingest: { block: ingestBlock(noopIngest() as unknown as IngestHandler), ...noop },
  process: { block: processBlock(noopProcess() as unknown as ProcessHandler), ...noop },
  ingestClient: { block: ingestBlock(bundledIngest), ...client },
  ingestRaw: { block: rawBlock(ingestCalls, 1), ...client },
  processClient: { block: processBlock(bundledProcess), ...client },
  processRaw: { block: rawBlock(processCalls, BATCH), ...client },
  ingestPlain: { block: ingestBlock(plain.ingest), ...client },
  ingestHttp: { block: rawBlock(atPlain(ingestCalls), 1), ...client },
  processPlain: { block: processBlock(plain.process), ...client },
  processHttp: { block: rawBlock(atPlain(processCalls), BATCH), ...client },
};
for (const { block, count } of Object.values(variants)) {
  await block(count === BLOCK.noop ? WARM_UP.noop : WARM_UP.client);
}
const told = await cpuPerEvent(variants, Number(ROUNDS));
process.stdout.write = written;
const toDynamo = ingestCalls.filter(it => it.headers['x-amz-target']?.startsWith('DynamoDB'));
const calls = { ingest: ingestCalls.length, ingestDynamo: toDynamo.length, process: processCalls.length / BATCH };
console.log(JSON.stringify({ rounds: told, calls }));
process.exit(0);
