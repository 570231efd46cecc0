/**
 * What only a deployed environment can show, for the time after a deploy: signed events go in and are read back, and each
 * call that the functions make is made with both clients, the SDK's and the small one, and their answers are compared.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import { secretName } from '#core/config/deployment.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { type EventKey, toEventPk } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { inflateBody } from '#core/inbound/protocol/store-body.ts';
import { encodeWorkMessage, referenceTo } from '#core/inbound/protocol/work-message.ts';
import { toIso } from '#core/time.ts';
import { signRequest } from '#core/verification/sign-request.ts';
import { explainError } from '#operator/explain-error.ts';
import type { ClientOutcome, DeepCall } from '#operator/gateway.ts';
import type { Operator } from '#operator/operator.ts';
import type { Check } from './doctor.ts';

/** How long a probe may take to be completed; a first start of both functions is part of it. */
const LIMIT_MS = 30_000;
const POLL_MS = 250;
/** Does not compress: its body goes to S3. */
const LARGE_BYTES = 120_000;
const KEPT_SECONDS = 3_600;

type Note = (check: Check) => void;

/**
 * 1. a small event, 2. the same once more, 3. a forged one, 4. one whose body goes to S3: each answered, completed and read
 * back; 5. each call with both clients. A check that cannot be made is a finding, not the end of the others.
 */
export async function checkDeeply(operator: Operator): Promise<readonly Check[]> {
  const found: Check[] = [];
  const note: Note = check => void found.push(check);
  const guard = async <T>(name: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      note({ name, result: 'wrong', text: explainError(error).message });
      return undefined;
    }
  };
  const probe = operator.deployment.probe?.source;
  if (probe === undefined) {
    const fix = `set environments.${operator.environment}.probe: true in gateway.config.ts and deploy`;
    note({ name: 'probe', result: 'warning', text: 'no event was sent: this environment has no probe', fix });
  }
  const item = probe && (await guard('probe', () => checkProbes(operator, probe, note)));
  await guard('clients', () => compareClients(operator, item, note));
  return found;
}

async function checkProbes(operator: Operator, source: ResolvedSource, note: Note): Promise<EventItem | undefined> {
  const { secrets } = await operator.gateway();
  const stored = await secrets.read(secretName(operator.environment, source.id));
  const parsed = stored.kind === 'set' ? parseSecret(stored.text) : undefined;
  if (parsed?.kind !== 'secret') {
    note({ name: 'probe', result: 'wrong', text: 'its secret is not set: deploy again; the stack makes one' });
    return undefined;
  }
  const secret = parsed.secret.current;
  const small = await send(operator, source, secret, {});
  note(await judgeEnd(operator, 'probe', small));
  const again = await post(operator, small);
  const repeated = again.status === 200 && again.body.includes('already_processed');
  note({
    name: 'probe again',
    result: repeated ? 'ok' : 'wrong',
    text: repeated ? 'is recognised as the same event' : `answered ${again.status} ${again.body.slice(0, 80)}`,
  });
  const forged = await send(operator, source, `${secret}x`, {});
  const refused = forged.answer.status === 401;
  note({
    name: 'forged probe',
    result: refused ? 'ok' : 'wrong',
    text: refused ? 'is refused with 401' : `answered ${forged.answer.status}, expected 401`,
  });
  const text = randomBytes(LARGE_BYTES).toString('base64');
  note(await judgeEnd(operator, 'large probe', await send(operator, source, secret, { text })));
  return (await operator.gateway()).store.get(small.pk);
}

interface Sent {
  readonly pk: ReturnType<typeof toEventPk>;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly at: number;
  readonly answer: { readonly status: number; readonly body: string };
}

async function send(operator: Operator, source: ResolvedSource, secret: string, data: object): Promise<Sent> {
  const { apiUrl } = await operator.gateway();
  const key = randomUUID();
  const at = operator.clock.now();
  const event = { event_id: key, event_type: 'probe', created_at: toIso(at), data };
  const body = new TextEncoder().encode(JSON.stringify(event));
  const signed = signRequest(source.spec, {
    ...{ body, secret, nowMs: at, crypto: nodeCrypto },
    headers: { 'content-type': 'application/json' },
  });
  const request = { pk: toEventPk(source.id, key as EventKey), url: `${apiUrl}${source.paths[0]}`, body, at };
  const answer = await post(operator, { ...request, headers: signed.headers });
  return { ...request, headers: signed.headers, answer };
}

async function post(
  operator: Operator,
  { url, headers, body }: Pick<Sent, 'url' | 'headers' | 'body'>,
): Promise<Sent['answer']> {
  return (await operator.gateway()).http(url, { method: 'POST', headers, body });
}

/** Its record is completed, and its stored body is the one that was sent. */
async function judgeEnd(operator: Operator, name: string, sent: Sent): Promise<Check> {
  const { store, payloads, blobs, timer } = await operator.gateway();
  if (sent.answer.status !== 200) {
    const text = `answered ${sent.answer.status} ${sent.answer.body.slice(0, 80)}`;
    return { name, result: 'wrong', text, fix: operator.command('refused ls') };
  }
  let item = await store.get(sent.pk);
  while (!(item && isTerminal(item.status)) && operator.clock.now() < sent.at + LIMIT_MS) {
    await timer.sleep(POLL_MS);
    item = await store.get(sent.pk);
  }
  if (item?.status !== 'completed') {
    const text = `was accepted and is ${item?.status ?? 'not recorded'} after ${LIMIT_MS / 1_000} s`;
    return { name, result: 'wrong', text, fix: operator.command('status') };
  }
  const stored = await payloads.getBody(sent.pk, item.bodySha);
  const bytes = stored?.bytes ?? (stored?.ref === undefined ? undefined : await blobs.get(stored.ref));
  if (bytes === undefined || Buffer.compare(inflateBody(bytes, nodeCodec), sent.body) !== 0)
    return { name, result: 'wrong', text: 'was completed, and its stored body is not the one that was sent' };
  const where = stored?.ref === undefined ? 'the table' : 'S3';
  const took = operator.clock.now() - sent.at;
  return { name, result: 'ok', text: `completed after ${took} ms; its body was read back from ${where}` };
}

export async function compareClients(operator: Operator, probed: EventItem | undefined, note: Note): Promise<void> {
  const { bothClients, clock } = await operator.gateway();
  const { names, ask } = await bothClients();
  const secret = operator.deployment.probe && secretName(operator.environment, operator.deployment.probe.source.id);
  const calls = [
    ...tableCalls(names.payloadsTable, Math.floor(clock.now() / 1_000) + KEPT_SECONDS),
    ...queueCalls(names.workQueueUrl, probed),
    ...secretCalls(secret, operator.environment),
  ];
  const apart: string[] = [];
  for (const call of calls) {
    const { sdk, small } = await ask(call);
    const [theirs, ours] = [comparable(sdk), comparable(small)];
    if (!isDeepStrictEqual(theirs, ours))
      apart.push(`${call.operation}: SDK ${words(theirs)}, small client ${words(ours)}`);
  }
  const operations = [...new Set(calls.map(it => it.operation))].sort().join(', ');
  if (apart.length === 0)
    note({ name: 'clients', result: 'ok', text: `both answer the same to ${calls.length} calls: ${operations}` });
  for (const text of apart)
    note({ name: 'clients', result: 'wrong', text, fix: "keep awsClient: 'sdk', and report this line" });
}

/** Reads, conditional writes and transactions on items of their own, which expire within the hour. */
function tableCalls(table: string, expiresAt: number): readonly DeepCall[] {
  const run = randomUUID();
  const pk = (client: string) => ({ S: `_deep#${run}#${client}` });
  const values = {
    expiresAt: { N: String(expiresAt) },
    text: { S: 'ü € 𝄞 "\\ \u0000' },
    bytes: { B: Uint8Array.of(0, 1, 254, 255) },
    large: { N: '12345678901234567890123456789012345678' },
    list: { L: [{ NULL: true }, { BOOL: false }, { M: { B: { S: 'a map with a member B' } } }] },
  };
  const call = (operation: string, input: (client: string) => object): DeepCall => ({
    service: 'dynamodb',
    operation,
    input,
  });
  const key = (client: string, sk = 'D#1') => ({ pk: pk(client), sk: { S: sk } });
  const put = (client: string, sk = 'D#1') => ({
    TableName: table,
    Item: { ...key(client, sk), ...values },
    ConditionExpression: 'attribute_not_exists(pk)',
  });
  const update = (client: string, wanted: string) => ({
    ...{ TableName: table, Key: key(client), UpdateExpression: 'SET n = :n ADD times :one' },
    ConditionExpression: 'attribute_exists(pk) AND #t = :t',
    ExpressionAttributeNames: { '#t': 'text' },
    ExpressionAttributeValues: { ':n': { S: 'new' }, ':one': { N: '1' }, ':t': { S: wanted } },
  });
  return [
    call('GetItem', client => ({ TableName: table, Key: key(client), ConsistentRead: true })),
    call('PutItem', client => put(client)),
    call('PutItem', client => ({ ...put(client), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })),
    call('GetItem', client => ({ TableName: table, Key: key(client), ConsistentRead: true })),
    call('UpdateItem', client => ({ ...update(client, values.text.S), ReturnValues: 'ALL_NEW' })),
    call('UpdateItem', client => ({ ...update(client, 'other'), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })),
    call('TransactWriteItems', client => ({
      TransactItems: [{ Put: put(client, 'D#2') }, { Put: put(client, 'D#3') }],
    })),
    call('TransactWriteItems', client => ({
      TransactItems: [{ Put: put(client, 'D#4') }, { Put: put(client, 'D#2') }],
    })),
    call('BatchGetItem', client => ({
      RequestItems: { [table]: { Keys: [key(client, 'D#2')], ConsistentRead: true } },
    })),
    call('Query', client => ({
      ...{ TableName: table, KeyConditionExpression: 'pk = :p', ConsistentRead: true },
      ExpressionAttributeValues: { ':p': pk(client) },
    })),
    call('PutItem', () => ({ TableName: `${table}-that-is-not-there`, Item: { pk: { S: 'a' } } })),
  ];
}

/** Copies of an event that is over: the processor deletes them. */
function queueCalls(QueueUrl: string, probed: EventItem | undefined): readonly DeepCall[] {
  const call = (operation: string, input: object): DeepCall => ({ service: 'sqs', operation, input: () => input });
  const ReceiptHandle = 'no receipt';
  const MessageBody = probed && encodeWorkMessage({ ...referenceTo(probed), again: true });
  return [
    call('GetQueueAttributes', { QueueUrl, AttributeNames: ['QueueArn'] }),
    call('ChangeMessageVisibility', { QueueUrl, ReceiptHandle, VisibilityTimeout: 1 }),
    call('DeleteMessage', { QueueUrl, ReceiptHandle }),
    ...(MessageBody === undefined
      ? []
      : [
          call('SendMessage', { QueueUrl, MessageBody }),
          call('SendMessageBatch', { QueueUrl, Entries: [{ Id: '0', MessageBody }] }),
        ]),
  ];
}

function secretCalls(name: string | undefined, environment: string): readonly DeepCall[] {
  const call = (SecretId: string): DeepCall => ({
    ...{ service: 'secrets', operation: 'GetSecretValue', input: () => ({ SecretId }) },
  });
  return [...(name === undefined ? [] : [call(name)]), call(`holdfast/${environment}/_deep-that-is-not-there`)];
}

/** Differs from call to call, or is of the client and not of the service. */
const OWN = new Set(['$metadata', 'MessageId', 'ResponseMetadata', 'SequenceNumber', 'CreatedDate', 'message']);

function comparable(outcome: ClientOutcome): unknown {
  const plain = (value: unknown): unknown => {
    if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
    if (typeof value === 'string') return value.replace(/(_deep#[0-9a-f-]{36})#(?:sdk|small)/, '$1');
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).filter(([name, each]) => !OWN.has(name) && each !== undefined);
    return Object.fromEntries(members.map(([name, each]) => [name, plain(each)]));
  };
  return plain(outcome);
}

/** What a client made of it, without values: an answer of Secrets Manager holds a secret. */
function words(outcome: unknown): string {
  const { error, answer } = outcome as { error?: string; answer?: object };
  return (
    error ??
    `answers ${
      Object.keys(answer ?? {})
        .sort()
        .join(', ') || 'nothing'
    }`
  );
}
