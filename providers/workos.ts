import type { ProviderSpec } from 'holdfast';

export const workos: ProviderSpec = {
  id: 'workos',
  title: 'WorkOS',
  docs: 'https://workos.com/docs/events/data-syncing/webhooks',
  checkedOn: '2026-11-22',
  source: "workos/workos-node, src/webhooks/webhooks.spec.ts (WorkOS's own library).",
  unconfirmed: [
    "Which fields name, date and order an event (id and event are in that library's example).",
    'Retries and the deadline of an answer.',
    'Whether a repeated delivery is signed with a new time.',
  ],
  strength: 'signed',
  verify: [
    {
      id: 'workos',
      alg: 'hmac-sha256',
      sig: { from: 'header:workos-signature', parse: { item: ',', kv: '=', key: 'v1', single: ['t'] } },
      encoding: 'hex',
      message: '{ts}.{body}',
      time: { from: 'sig:t', unit: 'ms', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    key: [['json:id']],
    type: ['json:event'],
    time: { from: 'json:created_at', unit: 'iso8601' },
    ordering: 'json:data.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['workos-signature'],
  retries: 'Up to six times over three days with growing waits.',
  setup:
    'WorkOS Dashboard, Webhooks, Create webhook: this URL and the events. The secret of the source is the signing secret of the endpoint.',
};
