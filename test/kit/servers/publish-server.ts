/**
 * The producer's API on 127.0.0.1 as API Gateway serves it: it checks Signature Version 4 by the published rules, then the
 * real function publishes into stores in memory and the real engine. Requests are lost, late or refused when it is told to.
 */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { jsonSchema } from '#adapters/json-schema/json-schema.ts';
import { DAY_MS } from '#core/time.ts';
import { handlePublish } from '#lambdas/publish/handle-publish.ts';
import { withEndpoint } from '#test/kit/producer-world.ts';

export const REGION = 'eu-central-1';
export const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

/** What becomes of a request: `publish` (what the function says), `lose` (published, and the connection ends without an answer), `hang`, or an answer of API Gateway's own. */
export type Fate =
  | 'publish'
  | 'lose'
  | 'hang'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

export interface SeenRequest {
  readonly at: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** With an application `uid:acme` and one endpoint. */
export async function servePublish() {
  const world = await withEndpoint();
  const { store, clock, telemetry } = world;
  const ports = {
    ...world.ports,
    store,
    clock,
    telemetry,
    problemsOf: (schema: object, data: unknown) => jsonSchema(schema, 'dead_letter').problemsOf(data),
  };
  const handle = handlePublish(ports, { environment: 'test', eventTypes: 'any', retentionMs: 30 * DAY_MS });
  const fates: Fate[] = [];
  const seen: SeenRequest[] = [];
  let inFlight = 0;
  let most = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    seen.push({ at: performance.now(), headers: request.headers, body });
    const fate = fates.shift() ?? 'publish';
    if (fate === 'hang') return;
    if (typeof fate === 'object') return void response.writeHead(fate.status, fate.headers ?? {}).end(fate.body ?? '');
    const app = /^\/v1\/apps\/([^/]+)\/messages$/.exec(request.url ?? '')?.[1];
    const plain = { 'content-type': 'application/json' };
    if (request.method !== 'POST' || app === undefined)
      return void response.writeHead(404, plain).end('{"message":"Not Found"}');
    if (!isSigned(request, body)) return void response.writeHead(403, plain).end('{"message":"Forbidden"}');
    most = Math.max(most, ++inFlight);
    const event = {
      routeKey: 'POST /v1/apps/{app}/messages',
      pathParameters: { app: decodeURIComponent(app) },
      headers: request.headers,
      body,
    };
    const { statusCode = 500, headers = {}, body: text } = await handle(event as unknown as APIGatewayProxyEventV2);
    await new Promise(done => setTimeout(done, 5));
    inFlight -= 1;
    if (fate === 'lose') return void request.socket.destroy();
    response.writeHead(statusCode, headers as Record<string, string>).end(text);
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise(done => server.close(done));
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { ...world, url, fates, seen, close, most: () => most };
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, read again for this check. */
function isSigned({ method, url = '', headers }: IncomingMessage, body: string): boolean {
  const [, id, day = '', region = '', signedNames = '', given] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/execute-api\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const time = String(headers['x-amz-date']);
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (id !== KEYS.accessKeyId || region !== REGION || !(Math.abs(Date.now() - at) < 300_000)) return false;
  const names = signedNames.split(';');
  if (!names.includes('host') || !names.includes('x-amz-date')) return false;
  const path = url.split('/').map(encodeURIComponent).join('/');
  const lines = names.map(name => `${name}:${String(headers[name]).trim()}\n`).join('');
  const canonical = [method, path, '', lines, signedNames, sha(body)].join('\n');
  const scope = `${day}/${region}/execute-api/aws4_request`;
  const key = [region, 'execute-api', 'aws4_request'].reduce(hmac, hmac(`AWS4${KEYS.secretAccessKey}`, day));
  return hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha(canonical)}`).toString('hex') === given;
}
