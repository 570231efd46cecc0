/** Wiring of `notify`, called by the topic of new deaths. An error is tried again, and then paged as it is. */
import middy from '@middy/core';
import type { SNSEvent } from 'aws-lambda';
import { createDynamoDbClient } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { DynamoDbEventStore } from '#adapters/dynamodb/dynamodb-event-store.ts';
import { createSnsClient, SnsPager } from '#adapters/sns/sns-pager.ts';
import { systemClock } from '#adapters/system.ts';
import { EmfTelemetry } from '#adapters/telemetry/emf-telemetry.ts';
import { receivedSources } from '#core/config/received-sources.ts';
import { notifyOnCall } from '#core/inbound/watch/notify-on-call.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { environment } from '#lambdas/shared/process-environment.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { notifyEnv } from './env.ts';

const env = readEnv(notifyEnv, environment);
const ports = {
  pager: new SnsPager(createSnsClient(), env.PAGE_TOPIC),
  store: new DynamoDbEventStore(createDynamoDbClient(), env.EVENTS_TABLE),
  clock: systemClock,
  telemetry: new EmfTelemetry({ environment: config.environment, level: config.logLevel }),
};
const rules = { environment: config.environment, sourceIds: receivedSources(config).map(it => it.id) };

export const handler = middy(async (event: SNSEvent): Promise<void> => {
  for (const { Sns } of event.Records)
    await notifyOnCall({ subject: Sns.Subject ?? '', message: Sns.Message }, ports, rules);
});
