/** From API Gateway's event (payload format 2.0) to the status API and back. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { ApiPorts, ApiRules } from '#core/inbound/api/api-call.ts';
import { answerApi } from '#core/inbound/api/api-requests.ts';
import { API_ROUTES } from '#core/inbound/api/api-routes.ts';
import { VERSION } from '#core/version.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** `requestContext` of a route behind an IAM authorizer. */
interface IamContext {
  readonly authorizer?: { readonly iam?: { readonly userArn?: string | null } };
}

export function handleApiRequest(ports: ApiPorts, rules: ApiRules) {
  return async (apiEvent: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    if (apiEvent.routeKey === 'GET /health')
      return { statusCode: 200, headers: JSON_TYPE, body: JSON.stringify({ version: VERSION }) };
    const route = API_ROUTES.find(it => it === apiEvent.routeKey);
    if (route === undefined) {
      const message = `No route ${apiEvent.routeKey}; the routes are in docs/api/openapi.json`;
      return { statusCode: 404, headers: JSON_TYPE, body: JSON.stringify({ error: 'unknown_route', message }) };
    }
    const { body, isBase64Encoded, pathParameters, queryStringParameters, requestContext } = apiEvent;
    const path = Object.entries(pathParameters ?? {}).map(([name, text]) => [name, text && decode(text)] as const);
    const reply = await answerApi(
      {
        route,
        path: Object.fromEntries(path),
        query: queryStringParameters ?? {},
        body: body !== undefined && isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body,
        caller: (requestContext as IamContext).authorizer?.iam?.userArn ?? 'unknown caller',
      },
      ports,
      rules,
    );
    return { statusCode: reply.status, headers: { ...reply.headers }, body: reply.body };
  };
}

/** An id that is not well encoded names no event. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
