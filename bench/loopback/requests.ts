/** Signed requests and queue records as Lambda hands them over. */
import type { APIGatewayProxyEventV2, SQSEvent } from 'aws-lambda';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { type EventKey, toEventPk, toSourceId } from '#core/glossary.ts';
import { encodeWorkMessage, WORK_MESSAGE_VERSION } from '#core/inbound/protocol/work-message.ts';
import { toHex } from '#core/scan/bytes.ts';
import type { ProviderEvent } from '#test/kit/events/event-builder.ts';
import { signWebhook } from '../../sdk/testing/sign-webhook.ts';

/** The request of an event as API Gateway hands it to ingest, signed now. */
export function apiEventOf(
  { provider, body, headers }: ProviderEvent,
  secret: string,
  at: number,
): APIGatewayProxyEventV2 {
  const signed = signWebhook({
    provider,
    body,
    secret,
    headers: { ...headers, 'content-type': 'application/json' },
    at,
  });
  const path = `/webhooks/${provider}`;
  const http = { method: 'POST', path, protocol: 'HTTP/1.1', sourceIp: '203.0.113.100', userAgent: '' };
  return {
    version: '2.0',
    routeKey: `POST ${path}`,
    rawPath: path,
    rawQueryString: '',
    headers: signed.headers as Record<string, string>,
    isBase64Encoded: false,
    body: Buffer.from(signed.body).toString('utf8'),
    requestContext: { http } as APIGatewayProxyEventV2['requestContext'],
  };
}

/** A batch of events as Lambda hands it to process, as ingest would have sent them. */
export function sqsEventOf(events: readonly ProviderEvent[], at: number): SQSEvent {
  return {
    Records: events.map((event, number) => {
      const bytes = Buffer.from(event.body);
      const message = encodeWorkMessage({
        v: WORK_MESSAGE_VERSION,
        pk: toEventPk(toSourceId(event.provider), event.id as EventKey),
        gen: 1,
        bodySha: toHex(nodeCrypto.hash('sha256', bytes)),
        provider: event.provider,
        eventType: event.type,
        ingestId: '6f1c1f0e-8d8d-4f0e-9a55-0d6f6a1f3c11',
        size: bytes.length,
        receivedAt: at,
        eventAt: at,
        payload: nodeCodec.toBase64(nodeCodec.deflate(bytes, event.provider)),
        headers: { 'content-type': 'application/json', ...event.headers },
      });
      return {
        messageId: `5fea7756-0ea4-451a-a703-${String(number).padStart(12, '0')}`,
        receiptHandle: `receipt-${number}`,
        body: message,
        attributes: {
          ApproximateReceiveCount: '1',
          SentTimestamp: String(at),
          SenderId: 'AROAEXAMPLE:ingest',
          ApproximateFirstReceiveTimestamp: String(at),
        },
        messageAttributes: {},
        md5OfBody: '',
        eventSource: 'aws:sqs',
        eventSourceARN: 'arn:aws:sqs:eu-central-1:123456789012:work',
        awsRegion: 'eu-central-1',
      };
    }),
  };
}
