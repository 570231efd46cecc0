import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const genericHexBody: ProviderSpec = {
  id: 'generic-hex-body',
  title: 'Generic (bare hex HMAC over the body)',
  docs: 'docs/providers/generic-hex-body.md',
  checkedOn: '2026-11-21',
  verify: [bodyHmac('x-webhook-signature', 'hex')],
  identity: {
    // Without a signed time an unsigned header must not decide what is new: it counts only when the body has no id.
    key: [['json:event_id'], ['json:id'], ['header:x-idempotency-key'], ['hash:body']],
    type: ['json:event_type', 'json:type', 'header:x-webhook-event'],
    time: [
      { from: 'json:created_at', unit: 'iso8601', dates: 'object' },
      { from: 'json:timestamp', unit: 'iso8601' },
      { from: 'json:created', unit: 's', dates: 'object' },
    ],
    ordering: 'json:data.object.id',
  },
  ack: { status: 200, contentType: 'application/json', rejectStatus: 401, deadlineMs: 10_000 },
  retries: 'Up to the sender.',
  setup:
    'For senders that put the bare hex HMAC-SHA256 of the raw body into X-Webhook-Signature. A captured request can be sent again at any age: put a unique id into the body. New senders: prefer generic.',
};
