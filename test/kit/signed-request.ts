/** A request of the generic provider as API Gateway hands it to the ingest function. */
import { createHmac } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { EpochMs } from '#core/glossary.ts';

export interface Delivery {
  /** The provider's id of the event. */
  readonly id: string;
  readonly type?: string;
  readonly data?: unknown;
  readonly source?: string;
  /** The event's own time; default now. */
  readonly createdAt?: EpochMs;
  /** Replaces the whole signed body. */
  readonly rawBody?: Uint8Array | string;
  /** Added to the signed headers, or in their place; undefined takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly method?: string;
  readonly sourceIp?: string;
}

export function bodyOf(delivery: Delivery, now: EpochMs): Buffer {
  const { id, type = 'test.event', data = {} } = delivery;
  const createdAt = new Date(delivery.createdAt ?? now).toISOString();
  return Buffer.from(
    delivery.rawBody ?? JSON.stringify({ event_id: id, event_type: type, created_at: createdAt, data }),
  );
}

export function signedRequest(delivery: Delivery, now: EpochMs, secret: string): APIGatewayProxyEventV2 {
  const { source = 'default', method = 'POST', sourceIp = '198.51.100.7' } = delivery;
  const body = bodyOf(delivery, now);
  const timestamp = String(Math.floor(now / 1_000));
  const mac = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const path = `/webhooks/${source}`;
  const http = { method, path, protocol: 'HTTP/1.1', sourceIp, userAgent: '' };
  return {
    version: '2.0',
    routeKey: `POST ${path}`,
    rawPath: path,
    rawQueryString: '',
    headers: {
      'content-type': 'application/json',
      'x-webhook-signature': `sha256=${mac}`,
      'x-webhook-timestamp': timestamp,
      ...delivery.headers,
    },
    isBase64Encoded: true,
    body: body.toString('base64'),
    requestContext: { http } as APIGatewayProxyEventV2['requestContext'],
  };
}
