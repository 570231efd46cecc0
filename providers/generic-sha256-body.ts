import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const genericSha256Body: ProviderSpec = {
  id: 'generic-sha256-body',
  title: 'Generic (sha256= over the body)',
  docs: 'docs/providers/generic-sha256-body.md',
  checkedOn: '2026-11-21',
  verify: [bodyHmac('x-webhook-signature', 'hex', { parse: { prefix: 'sha256=' } })],
  identity: {
    key: [['header:x-idempotency-key'], ['json:event_id'], ['json:id'], ['hash:body']],
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
    'For senders that sign the raw body only: X-Webhook-Signature: sha256=<hex HMAC-SHA256>, and a unique X-Idempotency-Key. The key is unsigned and nothing limits the age: a captured request can be sent again under a new key. dedupOnBody closes that; better is generic.',
};
