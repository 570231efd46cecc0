import type { ProviderSpec } from 'holdfast';

export const openai: ProviderSpec = {
  id: 'openai',
  title: 'OpenAI',
  docs: 'https://platform.openai.com/docs/guides/webhooks',
  checkedOn: '2026-11-21',
  unconfirmed: ['retries (third parties only)', 'deadline'],
  strength: 'signed',
  verify: [
    {
      id: 'openai',
      alg: 'hmac-sha256',
      sig: { from: 'header:webhook-signature', parse: { item: ' ', kv: ',', key: 'v1' } },
      encoding: 'base64',
      key: { encoding: 'base64', strip: ['v1,whsec_', 'whsec_'] },
      message: '{header:webhook-id}.{ts}.{body}',
      time: { from: 'header:webhook-timestamp', unit: 's', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    key: [['header:webhook-id']],
    type: ['json:type'],
    time: { from: 'json:created_at', unit: 's' },
    ordering: 'json:data.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['webhook-signature', 'webhook-timestamp'],
  keepHeaders: ['webhook-id'],
  retries: 'For up to 72 hours with growing waits; webhook-id stays. Redirects count as failures.',
  setup:
    'OpenAI platform, Settings, Project, Webhooks, Create: this URL and the event types; the signing secret (whsec_…) is shown once.',
};
