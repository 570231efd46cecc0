/** From API Gateway's event to the page or the API of a customer, and back. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { ApiPorts, ApiRules } from '#core/outbound/api/api-call.ts';
import { answerPortal } from '#core/outbound/portal/answer-portal.ts';
import { callsPerSecond } from '#core/outbound/portal/calls-per-second.ts';
import { LINK_ROUTE, PAGE_ROUTES, PORTAL_ROUTES, publicRoute } from '#core/outbound/portal/portal-routes.ts';
import { unknownRoute } from '#core/problem-reply.ts';
import type { Reply } from '#core/reply.ts';
import { callOf, toApiReply } from '#lambdas/shared/api-event.ts';

export interface PortalTools {
  readonly ports: ApiPorts;
  readonly rulesOf: (ownHost: string) => ApiRules;
  readonly page: (file?: string) => Reply | undefined;
  /** Of every answer. */
  readonly headers: Readonly<Record<string, string>>;
}

const ROUTES_PAGE = 'docs/send/portal.md';

/** Where there are contacts. */
const links = () => import('#core/outbound/contacts/answer-link.ts');
/** By no cache. */
const notKept = (reply: Reply): Reply => ({ ...reply, headers: { 'cache-control': 'no-store', ...reply.headers } });

export function handlePortalCall({ ports, rulesOf, page, headers }: PortalTools) {
  const mayCall = callsPerSecond();
  const answer = async (event: APIGatewayProxyEventV2): Promise<Reply> => {
    const { caller: _, ...parts } = callOf(event);
    if (PAGE_ROUTES.some(route => route === event.routeKey)) {
      return page(parts.path['file']) ?? unknownRoute(event.rawPath, ROUTES_PAGE);
    }
    if (event.routeKey === LINK_ROUTE) return notKept(await (await links()).answerLink(ports, parts.query));
    const route = PORTAL_ROUTES.find(it => publicRoute(it) === event.routeKey);
    if (route === undefined) return unknownRoute(event.routeKey, ROUTES_PAGE);
    const reply = await answerPortal({
      ...{ ...parts, route, ports, mayCall, rules: rulesOf(event.requestContext.domainName) },
      authorization: event.headers['authorization'],
    });
    return notKept(reply);
  };
  return async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    const reply = await answer(event);
    return toApiReply({ ...reply, headers: { ...headers, ...reply.headers } });
  };
}
