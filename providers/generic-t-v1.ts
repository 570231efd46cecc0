import type { ProviderSpec } from 'holdfast';
import { timedHmac } from './schemes/hmac-schemes.ts';

export const genericTV1: ProviderSpec = {
  id: 'generic-t-v1',
  title: 'Generic (t=…,v1=… in one header)',
  docs: 'docs/providers/generic-t-v1.md',
  checkedOn: '2026-11-21',
  verify: [timedHmac('x-webhook-signature')],
  identity: {
    key: [['json:event_id'], ['json:id'], ['header:x-event-id'], ['header:x-webhook-id']],
    type: ['json:event_type', 'json:type'],
    time: [
      { from: 'json:created_at', unit: 'iso8601' },
      { from: 'json:timestamp', unit: 'iso8601' },
      { from: 'json:created', unit: 's' },
    ],
    ordering: 'json:data.object.id',
  },
  ack: { status: 200, contentType: 'application/json', rejectStatus: 401, deadlineMs: 10_000 },
  retries: 'Up to the sender.',
  setup:
    "For senders that follow Stripe's pattern: X-Webhook-Signature: t=<Unix seconds>,v1=<hex HMAC-SHA256 of time, full stop and raw body>. A rotation may send several v1.",
};
