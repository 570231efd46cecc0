/**
 * DynamoDB, SQS and Secrets Manager as a happy event meets them. They answer what it gets and keep nothing: the stand-in measures
 * clients, not services.
 */
import { LOOPBACK_CERTIFICATE, sentAnswer, serveStandIn, startStandIn, stateItem } from './stand-in.ts';

/** Of every source of the gateway, as the stand-in's Secrets Manager tells it. */
export const LOOPBACK_SECRET = 'whsec_dGhlIHNlY3JldCBvZiB0aGUgbG9vcGJhY2sgc3RhbmQtaW4=';

interface Request {
  readonly Key?: { readonly pk?: { readonly S?: string } };
  readonly MessageBody?: string;
  readonly SecretIdList?: readonly string[];
  readonly bodyShas?: Readonly<Record<string, string>>;
}

/** What `remember` told: pk to the hash of its body, as its record would have it. */
const bodyShas = new Map<string, string>();

/** As UpdateItem returns it after a claim. */
function claimedItem(pk: string): object {
  const now = Date.now();
  return stateItem(pk, now, {
    status: { S: 'processing' },
    bodySha: { S: bodyShas.get(pk) ?? '' },
    startedAt: { N: String(now) },
    owner: { S: '6f1c1f0e-8d8d-4f0e-9a55-0d6f6a1f3c12' },
    leaseUntil: { N: String(now + 35_000) },
    watchShard: { S: `${pk.split('#')[0]}#1` },
    watchAt: { N: String(now + 120_000) },
  });
}

function answer(target: string, request: Request): unknown {
  switch (target.slice(target.indexOf('.') + 1)) {
    case 'UpdateItem':
      return { Attributes: claimedItem(request.Key?.pk?.S ?? '') };
    case 'SendMessage':
      return sentAnswer(request.MessageBody);
    case 'Remember':
      for (const [pk, sha] of Object.entries(request.bodyShas ?? {})) bodyShas.set(pk, sha);
      return {};
    case 'BatchGetSecretValue':
      return { SecretValues: (request.SecretIdList ?? []).map(Name => ({ Name, SecretString: LOOPBACK_SECRET })) };
    case 'GetSecretValue':
      return { SecretString: LOOPBACK_SECRET, VersionId: 'v1' };
    default:
      return {};
  }
}

/** One request as it came, for whoever repeats it by other means. */
export interface SeenCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function serve(): void {
  let seen: SeenCall[] = [];
  serveStandIn((target, body, { method, url, headers: given }) => {
    if (method === 'GET') {
      const told = seen;
      seen = [];
      return told;
    }
    const headers = { 'content-type': String(given['content-type']), 'x-amz-target': target };
    seen = [...seen.slice(-499), { path: url ?? '/', headers, body }];
    return answer(target, JSON.parse(body || '{}') as Request);
  });
}

export interface FakeAws {
  /** `https:`. */
  readonly url: string;
  /** The same without TLS; it also tells what was seen. */
  readonly controlUrl: string;
  /** The last requests since it was asked before, at most 500. */
  readonly seen: () => Promise<readonly SeenCall[]>;
  readonly stop: () => void;
}

/** Starts the stand-in. */
export async function startFakeAws(): Promise<FakeAws> {
  const { url, plainUrl: controlUrl, stop } = await startStandIn(import.meta.filename);
  const seen = async (): Promise<readonly SeenCall[]> =>
    (await (await fetch(controlUrl)).json()) as readonly SeenCall[];
  return { url, controlUrl, seen, stop: () => void stop() };
}

/** The environment of a bundled function that talks to the stand-in. */
export function loopbackEnvironment(url: string): Record<string, string> {
  const names = ['EVENTS', 'PAYLOADS', 'PAYMENTS', 'PUSHES'].map(name => [`${name}_TABLE`, name.toLowerCase()]);
  return {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    AWS_SESSION_TOKEN: 'x'.repeat(700),
    AWS_ENDPOINT_URL: url,
    NODE_EXTRA_CA_CERTS: LOOPBACK_CERTIFICATE,
    BODIES_BUCKET: 'bodies',
    WORK_QUEUE_URL: `${url}/123456789012/work`,
    DEAD_QUEUE_URL: `${url}/123456789012/dead`,
    ...Object.fromEntries(names),
  };
}

if (import.meta.main) serve();
