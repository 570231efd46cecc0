/** Parts of an API Gateway event (payload format 2.0), as the rules want them. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Reply } from '#core/reply.ts';
import { decodeUri } from '#core/scan/text.ts';

/** `requestContext` of a route behind an IAM authorizer. */
interface IamContext {
  readonly authorizer?: { readonly iam?: { readonly userArn?: string | null } };
}

/** What a call of an API brings; a byte order mark is kept, so that JSON refuses it. */
export const callOf = (event: APIGatewayProxyEventV2) => ({
  path: pathOf(event),
  query: event.queryStringParameters ?? {},
  body: event.body === undefined ? undefined : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytesOf(event)),
  caller: callerOf(event),
});

const callerOf = ({ requestContext }: APIGatewayProxyEventV2): string =>
  (requestContext as IamContext).authorizer?.iam?.userArn ?? 'unknown caller';

/** Path parameters, decoded; one that is not well encoded stays as it is. */
export function pathOf({ pathParameters }: APIGatewayProxyEventV2): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(pathParameters ?? {}).map(([name, text]) => [name, text === undefined ? text : decodeUri(text)]),
  );
}

/** The exact bytes: text is UTF-8 as API Gateway read it, everything else came as base64. */
export function bytesOf({ body, isBase64Encoded }: APIGatewayProxyEventV2): Uint8Array {
  return Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
}

export function toApiReply({ status, headers, body }: Reply): APIGatewayProxyStructuredResultV2 {
  return { statusCode: status, headers: { ...headers }, body };
}
