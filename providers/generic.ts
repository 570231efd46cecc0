import type { ProviderSpec } from 'holdfast';

export const generic: ProviderSpec = {
  id: 'generic',
  title: 'Generic (HMAC over timestamp and body)',
  docs: 'docs/providers/generic.md',
  checkedOn: '2026-11-21',
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:x-webhook-signature', parse: { prefix: 'sha256=' } },
      encoding: 'hex',
      message: '{ts}.{body}',
      time: { from: 'header:x-webhook-timestamp', unit: 's', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    // The header is not signed: it counts only when the signed body has no id of its own.
    key: [['json:event_id'], ['json:id'], ['header:x-event-id']],
    type: ['json:event_type', 'json:type'],
    time: [
      { from: 'json:created_at', unit: 'iso8601' },
      { from: 'json:timestamp', unit: 'iso8601' },
      { from: 'json:created', unit: 's' },
    ],
    ordering: 'json:data.object.id',
  },
  ack: { status: 200, contentType: 'application/json', rejectStatus: 401, deadlineMs: 10_000 },
  retries: 'Up to the sender: repeat after anything outside 2xx, or no answer within ten seconds.',
  setup:
    'For senders you write. Agree on a random secret of at least 32 bytes. Send the Unix time in seconds as X-Webhook-Timestamp, and as X-Webhook-Signature: sha256=<hex> the HMAC-SHA256 of timestamp, full stop and raw body. Put a unique event_id into the body; X-Event-Id, unsigned, is read only if it is missing.',
};
