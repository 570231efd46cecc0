/** Events as each function gets them, and what becomes of them: the steps that the suite's journeys are made of. */
import { createHash, sign } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { signRequest } from '#core/verification/sign-request.ts';
import { github } from '#providers/github.ts';
import { shopify } from '#providers/shopify.ts';
import { standardWebhooksV1a } from '#providers/standard-webhooks-v1a.ts';
import { stripe } from '#providers/stripe.ts';
import { signedRequest } from '#test/kit/signed-request.ts';
import type { Invoked } from './function-process.ts';
import { SECRET } from './secrets.ts';
import { PRIVATE_KEY, type Stage } from './stage.ts';

/** By the source. */
const PROVIDERS = { github, stripe, shopify, signed: standardWebhooksV1a };

type Answer = { readonly statusCode: number; readonly body: string };
export const answerOf = (invoked: Invoked): Answer | undefined =>
  invoked.kind === 'answered' ? (invoked.value as Answer) : undefined;

export interface Event {
  readonly id: string;
  readonly type?: string;
  readonly source?: string;
  readonly data?: unknown;
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A payment of the ledger: its row says how often it was applied. */
export const payment = (id: string): Event => ({
  id,
  type: 'payment_intent.succeeded',
  data: { object: { id, amount: 5, currency: 'eur' } },
});
/** A payment that no handler can take. */
export const poison = (id: string): Event => ({ id, type: 'payment_intent.succeeded', data: { object: {} } });
/** Larger than what an item holds, and nothing that deflate could make smaller. */
export const large = (id: string): Event => ({
  ...payment(id),
  data: { object: { id, amount: 5 }, padding: padding(id) },
});

/** The same bytes for the same id: whoever repeats a request repeats its body. */
export function padding(id: string): string {
  const blocks = Array.from({ length: 4_700 }, (_, n) => createHash('sha256').update(`${id} ${n}`).digest());
  return Buffer.concat(blocks).toString('base64');
}

/** As the provider signs: a push of GitHub, an event of Stripe, an order of Shopify, anything with a private key. */
export function postAs(
  stage: Stage,
  provider: keyof typeof PROVIDERS,
  body: object,
  headers: Record<string, string> = {},
) {
  const bytes = Buffer.from(JSON.stringify(body));
  const nowMs = stage.now();
  const given = { 'content-type': 'application/json', ...headers };
  const signed = signRequest(PROVIDERS[provider], {
    body: bytes,
    secret: SECRET,
    nowMs,
    headers: given,
    crypto: nodeCrypto,
    sign: message => sign(null, message, PRIVATE_KEY),
  });
  const event = signedRequest({ id: 'unused', source: provider, rawBody: bytes }, nowMs, SECRET);
  return stage.invoke('Ingest', { ...event, headers: signed.headers });
}

export const post = (stage: Stage, { secret = SECRET, ...event }: Event): Promise<Invoked> =>
  stage.invoke('Ingest', signedRequest(event, stage.now(), secret));

/** As a provider does: again until it hears 200. */
export async function insist(stage: Stage, event: Event): Promise<boolean> {
  for (let n = 0; n < 5; n++) {
    const answer = answerOf(await post(stage, event));
    if (answer?.statusCode === 200) return true;
    stage.advance(1);
  }
  return false;
}

export const record = (stage: Stage, id: string, source = 'default') =>
  stage.item(/StoreEvents/, { pk: `${source}#${id}` });

const FINAL = ['completed', 'dead_letter', 'ignored', 'rejected', 'skipped_stale'];

/** Messages and minutes go on until the event is final. Answers its status. */
export async function settle(stage: Stage, id: string, source = 'default'): Promise<string> {
  let status = 'missing';
  for (let round = 0; round < 8; round++) {
    await stage.deliver(/WorkMain/, 'Process');
    status = String((await record(stage, id, source))?.['status'] ?? 'missing');
    if (FINAL.includes(status)) return status;
    stage.advance(5);
    await stage.invoke('Sweep', {});
  }
  return status;
}

export function apiEvent(
  routeKey: string,
  path: Readonly<Record<string, string>> = {},
  body?: unknown,
  headers = {},
  query = {},
): unknown {
  const [method, route = ''] = routeKey.split(' ');
  return {
    version: '2.0',
    routeKey,
    rawPath: route.replace(/\{(\w+)\}/g, (_all, name) => path[name] ?? ''),
    rawQueryString: '',
    headers,
    pathParameters: path,
    queryStringParameters: query,
    requestContext: {
      domainName: 'api.example.com',
      http: { method, sourceIp: '198.51.100.7' },
      authorizer: { iam: { userArn: 'arn:aws:iam::111111111111:user/suite' } },
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    isBase64Encoded: false,
  };
}

export async function call(
  stage: Stage,
  id: string,
  route: string,
  path: Record<string, string> = {},
  body?: unknown,
  headers = {},
  query = {},
) {
  const invoked = await stage.invoke(id, apiEvent(route, path, body, headers, query));
  const answer = answerOf(invoked);
  if (answer === undefined) throw new Error(`${id} ${route}: ${JSON.stringify(invoked).slice(0, 2_000)}`);
  return { status: answer.statusCode, json: parsed(answer.body) };
}

// biome-ignore lint/suspicious/noExplicitAny: an answer is untyped JSON
function parsed(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** As CloudWatch Logs hands lines to a subscriber. */
export function logEvent(lines: readonly string[]): unknown {
  const logEvents = lines.map((message, n) => ({ id: String(n), timestamp: Date.now(), message }));
  const data = { messageType: 'DATA_MESSAGE', logGroup: 'g', logStream: 's', logEvents };
  return { awslogs: { data: gzipSync(JSON.stringify(data)).toString('base64') } };
}

export function alarmEvent(name: string, topic: string): unknown {
  const Message = JSON.stringify({
    AlarmName: name,
    NewStateValue: 'ALARM',
    AlarmDescription: 'test',
    NewStateReason: 'r',
    StateChangeTime: new Date().toISOString(),
  });
  return { Records: [{ Sns: { TopicArn: topic, Subject: 'ALARM', Message } }] };
}
