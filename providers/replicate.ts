import type { ProviderSpec } from 'holdfast';

export const replicate: ProviderSpec = {
  id: 'replicate',
  title: 'Replicate',
  docs: 'https://replicate.com/docs/topics/webhooks/verify-webhook',
  checkedOn: '2026-11-27',
  source: 'replicate/replicate-javascript, lib/util.js.',
  unconfirmed: ['deadline'],
  strength: 'signed',
  verify: [
    {
      id: 'replicate',
      alg: 'hmac-sha256',
      sig: { from: 'header:webhook-signature', parse: { item: ' ', kv: ',', key: 'v1' } },
      encoding: 'base64',
      key: { encoding: 'base64', strip: ['whsec_'] },
      message: '{header:webhook-id}.{ts}.{body}',
      time: { from: 'header:webhook-timestamp', unit: 's', past: 300, future: 300, signed: true },
    },
  ],
  identity: { key: [['header:webhook-id']], type: ['json:status'], ordering: 'json:id' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['webhook-signature', 'webhook-timestamp'],
  keepHeaders: ['webhook-id'],
  retries: 'Not known; webhook-id stays.',
  setup:
    'Pass this URL as webhook, and webhook_events_filter, when you create a prediction or training. GET /v1/webhooks/default/secret returns the secret (whsec_…). The body is the prediction; its status is the type.',
};
