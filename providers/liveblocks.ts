import type { ProviderSpec } from 'holdfast';

export const liveblocks: ProviderSpec = {
  id: 'liveblocks',
  title: 'Liveblocks',
  docs: 'https://liveblocks.io/docs/platform/webhooks',
  checkedOn: '2026-11-27',
  source: 'liveblocks/liveblocks, docs/pages/platform/webhooks.mdx (the schedule of Svix).',
  unconfirmed: ['deadline'],
  strength: 'signed',
  verify: [
    {
      id: 'liveblocks',
      alg: 'hmac-sha256',
      sig: { from: 'header:webhook-signature', parse: { item: ' ', kv: ',', key: 'v1' } },
      encoding: 'base64',
      key: { encoding: 'base64', strip: ['whsec_'] },
      message: '{header:webhook-id}.{ts}.{body}',
      time: { from: 'header:webhook-timestamp', unit: 's', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    key: [['header:webhook-id']],
    type: ['json:type'],
    ordering: 'json:data.roomId',
  },
  types: { character: '[A-Za-z]', example: 'storageUpdated' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 15_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['webhook-signature', 'webhook-timestamp'],
  keepHeaders: ['webhook-id'],
  retries:
    'Eight attempts: at once, after 5 seconds, 5 and 30 minutes, 2, 5, 10 and again 10 hours. An endpoint failing for five days is disabled.',
  setup:
    "Liveblocks dashboard, the project, Webhooks, Create endpoint: this URL and the events; the endpoint's page shows the signing secret (whsec_…).",
};
