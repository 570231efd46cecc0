/**
 * Wiring of `notify`: called by the topic of new deaths, whose alarms it passes on to the topic of pages, and by each topic
 * that Slack or PagerDuty is to hear of. An error is tried again twice; then Lambda pages the alarm as it is.
 */
import middy from '@middy/core';
import type { SNSEvent } from 'aws-lambda';
import { createDynamoDbClient } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { DynamoDbEventStore } from '#adapters/dynamodb/dynamodb-event-store.ts';
import { jsonPoster } from '#adapters/http/post-json.ts';
import { oneInvocation } from '#adapters/lifetime.ts';
import { secretCredential } from '#adapters/secrets/secret-credential.ts';
import { createSnsClient, snsPager } from '#adapters/sns/sns-pager.ts';
import { systemClock } from '#adapters/system.ts';
import type { AlarmService } from '#core/alarm-service.ts';
import { alarmSecretName } from '#core/config/alarm-services.ts';
import { receivedSources } from '#core/config/received-sources.ts';
import { notifyOnCall } from '#core/inbound/watch/notify-on-call.ts';
import { tellServices } from '#core/inbound/watch/tell-services.ts';
import { config } from '#lambdas/shared/baked-config.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { openTelemetry } from '#lambdas/shared/serve.ts';
import { notifyEnv } from './env.ts';

const env = readEnv(notifyEnv);
const telemetry = openTelemetry();
const ports = {
  pager: snsPager(createSnsClient(), env.PAGE_TOPIC),
  store: new DynamoDbEventStore(createDynamoDbClient(), env.EVENTS_TABLE),
  clock: systemClock,
  telemetry,
};
const rules = { environment: config.environment, sourceIds: receivedSources(config).map(it => it.id) };

const services = JSON.parse(env.ALARM_SERVICES) as Readonly<Record<string, readonly AlarmService[]>>;
const tellPorts = {
  secretOf: (service: AlarmService) => secretCredential(alarmSecretName(config, service)).get(),
  post: jsonPoster({ ports: [443], ownHosts: [], allowAddresses: [] }),
  telemetry,
};

export const handler = oneInvocation(
  middy(async (event: SNSEvent): Promise<void> => {
    try {
      for (const { Sns } of event.Records) {
        const told = services[Sns.TopicArn];
        if (told) await tellServices(Sns.Message, told, tellPorts, config);
        else await notifyOnCall({ subject: Sns.Subject ?? '', message: Sns.Message }, ports, rules);
      }
    } finally {
      telemetry.flush();
    }
  }),
);
