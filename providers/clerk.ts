import type { ProviderSpec } from 'holdfast';

export const clerk: ProviderSpec = {
  id: 'clerk',
  title: 'Clerk',
  docs: 'https://clerk.com/docs/guides/development/webhooks/overview',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', "that Svix' schedule is unchanged"],
  strength: 'signed',
  verify: [
    {
      id: 'clerk',
      alg: 'hmac-sha256',
      sig: { from: 'header:svix-signature', parse: { item: ' ', kv: ',', key: 'v1' } },
      encoding: 'base64',
      key: { encoding: 'base64', strip: ['v1,whsec_', 'whsec_'] },
      message: '{header:svix-id}.{ts}.{body}',
      time: { from: 'header:svix-timestamp', unit: 's', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    key: [['header:svix-id']],
    type: ['json:type'],
    time: { from: 'json:timestamp', unit: 'ms' },
    ordering: 'json:data.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 15_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['svix-signature', 'svix-timestamp'],
  keepHeaders: ['svix-id'],
  retries: 'Eight attempts over about 28 hours (Clerk sends through Svix).',
  setup:
    "Clerk Dashboard, Configure, Webhooks, Add endpoint: this URL and the events; the endpoint's page shows the signing secret (whsec_…).",
};
