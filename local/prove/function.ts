/**
 * The function that `holdfast prove` deploys beside the gateway: called by the program it sends a slice of the events,
 * called by HTTP it is the endpoints of customers, and counts what they get.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { signRequest } from '#core/verification/sign-request.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { PROVIDERS } from '#providers/index.ts';
import { standardWebhooks } from '#providers/standard-webhooks.ts';
import { kindOf, type ProveSource, receivedKey, requestOf, secretKey, sourceOf } from './plan.ts';

export interface Slice {
  readonly run: string;
  /** The first event, and the one behind the last. */
  readonly from: number;
  readonly to: number;
  /** Origin of the webhook URLs. */
  readonly url: string;
  readonly sources: readonly ProveSource[];
  readonly atOnce: number;
  /** What nobody has acknowledged by then is given up, as a provider would. */
  readonly limitMs: number;
}

export interface SliceResult {
  readonly requests: number;
  /** Numbers of genuine events that were never acknowledged. */
  readonly unaccepted: readonly number[];
  /** Numbers of forged ones that were. */
  readonly forged: readonly number[];
  /** Of acknowledged requests. */
  readonly latencyMs: readonly number[];
}

interface HttpEvent {
  readonly rawPath: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

const TABLE = process.env['PROVE_TABLE'] ?? '';
const table = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const SLOW_MS = 1_500;
const ANSWER_MS = 20_000;

export async function handler(event: Slice | HttpEvent): Promise<unknown> {
  return 'rawPath' in event ? await receive(event) : await sendSlice(event);
}

async function sendSlice(slice: Slice): Promise<SliceResult> {
  const { from, to, atOnce } = slice;
  const deadline = Date.now() + slice.limitMs;
  const latencyMs: number[] = [];
  const unaccepted: number[] = [];
  const forged: number[] = [];
  let requests = 0;
  const send = async (n: number): Promise<boolean> => {
    for (let pauseMs = 200; ; pauseMs = Math.min(2 * pauseMs, 10_000)) {
      const startedAt = performance.now();
      const status = await sendOne(slice, n);
      requests += 1;
      if (status >= 200 && status < 300) {
        latencyMs.push(Math.round(performance.now() - startedAt));
        return true;
      }
      const again = status === 0 || status === 429 || status >= 500;
      if (!again || Date.now() + pauseMs > deadline) return false;
      await wait(pauseMs * (0.5 + Math.random() / 2));
    }
  };
  const copies: number[] = [];
  const one = async (n: number): Promise<void> => {
    const kind = kindOf(n);
    const twice = kind === 'duplicate';
    const [accepted] = await Promise.all(twice ? [send(n), send(n)] : [send(n)]);
    if (kind === 'forged' && accepted) forged.push(n);
    if (kind !== 'forged' && !accepted) unaccepted.push(n);
    // Once more when all others are through: a copy that comes long after its event.
    if (twice && accepted) copies.push(n);
  };
  const left = shuffled(from, to);
  const worker = async (): Promise<void> => {
    for (let n = left.pop(); n !== undefined; n = left.pop()) await one(n);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  for (const n of copies) await send(n);
  return { requests, unaccepted, forged, latencyMs: latencyMs.slice(0, 500) };
}

/** In no order: nothing may rest on the order in which a provider sends. */
function shuffled(from: number, to: number): number[] {
  const all = Array.from({ length: to - from }, (_, at) => from + at);
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [all[at], all[other]] = [all[other] as number, all[at] as number];
  }
  return all;
}

/** The answer's status; 0: there was none. */
async function sendOne({ run, url, sources }: Slice, n: number): Promise<number> {
  const { spec: name, path, secret } = sourceOf(n, sources);
  const spec = PROVIDERS[name];
  if (spec === undefined) throw new RangeError(`there is no provider ${name}`);
  const { body, headers } = requestOf(run, n, name, Date.now());
  const bytes = Buffer.from(body);
  const signed = signRequest(spec, { body: bytes, headers, secret, nowMs: Date.now(), crypto: nodeCrypto });
  // What an attacker has: a real signature, of other bytes.
  const sent = kindOf(n) === 'forged' ? Buffer.from(body.replace('"n":', '"n": ')) : bytes;
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers: signed.headers, body: sent, signal });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}

async function receive({ rawPath, headers, body = '', isBase64Encoded }: HttpEvent): Promise<{ statusCode: number }> {
  const [app = '', kind = ''] = rawPath.split('/').filter(Boolean).slice(-2);
  if (kind === 'gone') return { statusCode: 410 };
  if (kind === 'down') return { statusCode: 500 };
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  const { data } = JSON.parse(bytes.toString('utf8')) as { data: { n: number } };
  const genuine = await isGenuine(app, kind, headers, bytes);
  const { Attributes: row } = await table.send(
    new UpdateCommand({
      TableName: TABLE,
      Key: { id: receivedKey(app, kind, data.n) },
      UpdateExpression: 'ADD requests :one, genuine :genuine',
      ExpressionAttributeValues: { ':one': 1, ':genuine': genuine ? 1 : 0 },
      ReturnValues: 'ALL_NEW',
    }),
  );
  if (kind === 'slow') await wait(SLOW_MS);
  return { statusCode: kind === 'once' && data.n === 0 && row?.['requests'] === 1 ? 503 : 200 };
}

async function isGenuine(app: string, kind: string, headers: HttpEvent['headers'], body: Uint8Array): Promise<boolean> {
  const stored = await table.send(new GetCommand({ TableName: TABLE, Key: { id: secretKey(app, kind) } }));
  const secret = { current: String(stored.Item?.['secret'] ?? '') };
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const raw = { method: 'POST', rawQuery: '', headers: lowered, body, sourceIp: '0.0.0.0' };
  const context = { secret, nowMs: Date.now(), settings: {}, crypto: nodeCrypto };
  return (await verifyRequest(standardWebhooks, raw, context)).kind === 'verified';
}
