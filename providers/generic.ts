import type { ProviderSpec } from 'holdfast';

export const generic: ProviderSpec = {
  id: 'generic',
  title: 'Generic (HMAC over timestamp and body)',
  docs: 'docs/providers/generic.md',
  checkedOn: '2026-11-21',
  strength: 'signed',
  verify: [
    {
      id: 'generic',
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
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['x-webhook-signature', 'x-webhook-timestamp'],
  keepHeaders: ['x-event-id'],
  retries: 'Up to the sender. Any answer outside 2xx, or none within ten seconds, should be sent again.',
  setup:
    'For senders you write yourself. Agree on a random secret of at least 32 bytes. The sender puts the Unix time in seconds into X-Webhook-Timestamp, computes the hex HMAC-SHA256 of timestamp, full stop and raw body with that secret, and sends it as X-Webhook-Signature: sha256=<hex>. Put a unique event_id into the body; X-Event-Id is read only when the body has none, because it is not signed.',
};
