/** Wiring of `api`: the public health check, and the status of an event behind IAM. */
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { createDynamoDbClient } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { DynamoDbEventStore } from '#adapters/dynamodb/dynamodb-event-store.ts';
import { DynamoDbPayloadStore } from '#adapters/dynamodb/dynamodb-payload-store.ts';
import { answerEventStatus } from '#core/inbound/api-requests.ts';
import { VERSION } from '#core/version.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { environment } from '#lambdas/shared/process-environment.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { apiEnv } from './env.ts';

const env = readEnv(apiEnv, environment);
const dynamodb = createDynamoDbClient();
const ports = {
  store: new DynamoDbEventStore(dynamodb, env.EVENTS_TABLE),
  payloads: new DynamoDbPayloadStore(dynamodb, env.PAYLOADS_TABLE),
};
const sourceIds = config.sources.map(it => it.id);

export const handler = middy(async (apiEvent: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
  if (apiEvent.routeKey === 'GET /health') {
    return {
      statusCode: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ version: VERSION }),
    };
  }
  const eventId = decodeId(apiEvent.pathParameters?.['event_id'] ?? '');
  const { status, headers, body } = await answerEventStatus(
    eventId,
    apiEvent.queryStringParameters?.['source'],
    sourceIds,
    ports,
  );
  return { statusCode: status, headers: { ...headers }, body };
});

/** An id that is not well encoded names no event. */
function decodeId(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
