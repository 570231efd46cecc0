/**
 * The portal on 127.0.0.1 as API Gateway would serve it: the real function's code over stores in memory and the real engine.
 * Receivers answer by their URL; jobs, tokens and a minute of `tend` run when they are told to.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { guardHeaders, type PortalLook, portalPage } from '#core/outbound/portal/portal-page.ts';
import { LINK_ROUTE, PAGE_ROUTES, PORTAL_ROUTES, publicRoute } from '#core/outbound/portal/portal-routes.ts';
import { handlePortalCall } from '#lambdas/portal/handle-portal-call.ts';
import { producerWorld } from '#test/kit/producer-world.ts';
import { buildPage } from '../../../ui/build-page.ts';

const ROUTES = [...PAGE_ROUTES, LINK_ROUTE, ...PORTAL_ROUTES.map(publicRoute)];
const LOOK: PortalLook = { name: 'Acme', accent: '#7a2ea0', frameAncestors: [] };
let built: ReturnType<typeof buildPage> | undefined;

/** The page is built once for all servers of a suite. */
export async function servePortal(look: Partial<PortalLook> = {}) {
  const world = producerWorld();
  built ??= buildPage(join(import.meta.dirname, '../../../portal/app'));
  const { script, style } = await built;
  const texts = { script: new TextDecoder().decode(script), style: new TextDecoder().decode(style) };
  const whole = { ...LOOK, ...look };
  const page = portalPage(whole, texts, nodeCrypto);
  const handle = handlePortalCall({
    ports: world.ports,
    rulesOf: () => world.rules,
    page,
    headers: guardHeaders(whole),
  });
  const server = createServer((request, response) => {
    // The clock of the stores moves only when told to, and 20 calls a second are the most.
    world.pass(60);
    void answer(handle, request, response);
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  const origin = `http://127.0.0.1:${port}`;
  /** A fresh token of an application, and the address that opens the portal with it. */
  const link = async (app: string, given: object = {}): Promise<string> => {
    const { body } = await world.call('POST /v1/apps/{app}/portal-tokens', { app }, given);
    return `${origin}/portal#token=${body.token}`;
  };
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise(done => server.close(done));
  };
  return { ...world, origin, link, close, texts };
}

async function answer(
  handle: ReturnType<typeof handlePortalCall>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://portal');
  const body = Buffer.concat(chunks).toString('utf8');
  const event = {
    ...routeOf(request.method ?? '', pathname),
    rawPath: pathname,
    headers: request.headers,
    queryStringParameters: Object.fromEntries(searchParams),
    requestContext: { domainName: 'api.acme.com' },
    ...(body === '' ? {} : { body }),
  };
  const { statusCode = 500, headers, body: text } = await handle(event as unknown as APIGatewayProxyEventV2);
  response.writeHead(statusCode, headers as Record<string, string>).end(text);
}

/** The most special route that fits, as API Gateway chooses. */
function routeOf(method: string, path: string): { routeKey: string; pathParameters: Record<string, string> } {
  const given = path.split('/');
  const fitting = ROUTES.filter(route => {
    const [verb, wanted = ''] = route.split(' ');
    const parts = wanted.split('/');
    return (
      verb === method &&
      parts.length === given.length &&
      parts.every((part, at) => part.startsWith('{') || part === given[at])
    );
  }).sort((one, two) => one.split('{').length - two.split('{').length);
  const [routeKey = '$default'] = fitting;
  const parts = routeKey.split(' ')[1]?.split('/') ?? [];
  const pairs = parts.flatMap((part, at) => (part.startsWith('{') ? [[part.slice(1, -1), given[at] ?? '']] : []));
  return { routeKey, pathParameters: Object.fromEntries(pairs) as Record<string, string> };
}
