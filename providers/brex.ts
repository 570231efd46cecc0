import type { ProviderSpec } from 'holdfast';

export const brex: ProviderSpec = {
  id: 'brex',
  title: 'Brex',
  docs: 'https://developer.brex.com/docs/webhooks',
  checkedOn: '2026-11-27',
  source: "developer.brex.com, docs/webhooks and API schemas. Signature: two receivers, and Svix' list of sources.",
  unconfirmed: ['deadline', 'fields that date and order', 'same id on retries'],
  strength: 'signed',
  verify: [
    {
      id: 'brex',
      alg: 'hmac-sha256',
      sig: { from: 'header:webhook-signature', parse: { item: ' ', kv: ',', key: 'v1' } },
      encoding: 'base64',
      key: { encoding: 'base64', strip: ['whsec_'] },
      message: '{header:webhook-id}.{ts}.{body}',
      time: { from: 'header:webhook-timestamp', unit: 's', past: 300, future: 300, signed: true },
    },
  ],
  identity: { key: [['header:webhook-id']], type: ['json:event_type'] },
  types: { character: '[A-Z_]', example: 'TRANSFER_PROCESSED' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['webhook-signature', 'webhook-timestamp'],
  keepHeaders: ['webhook-id'],
  retries: 'Not documented.',
  setup:
    'Create the webhook with POST /v1/webhooks, this URL and event types; GET /v1/webhooks/secrets gives the secret. During a replacement both secrets sign.',
};
