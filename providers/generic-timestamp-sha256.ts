import type { ProviderSpec } from 'holdfast';

export const genericTimestampSha256: ProviderSpec = {
  id: 'generic-timestamp-sha256',
  title: 'Generic (sha256= over time and body, with a key id)',
  docs: 'docs/providers/generic-timestamp-sha256.md',
  checkedOn: '2026-11-22',
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:webhook-signature', parse: { item: ',', kv: '=', key: 'sha256', single: ['keyId'] } },
      encoding: 'hex',
      message: '{ts}.{body}',
      time: { from: 'header:webhook-timestamp', unit: 's', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    key: [['json:event_id'], ['json:id'], ['header:webhook-id']],
    type: ['json:event_type', 'json:type'],
    time: { from: 'json:created_at', unit: 'iso8601' },
    ordering: 'json:data.object.id',
  },
  ack: { status: 200, contentType: 'application/json', rejectStatus: 401, deadlineMs: 10_000 },
  retries: 'Up to the sender.',
  setup:
    'For senders that sign the time in Webhook-Timestamp (Unix seconds) with the body: Webhook-Signature: sha256=<hex HMAC-SHA256 of time, full stop and raw body>,keyId=<name of the key>. The name tells people which secret signed; it is unsigned and decides nothing.',
};
