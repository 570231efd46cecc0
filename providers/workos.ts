import type { ProviderSpec } from 'holdfast';

export const workos: ProviderSpec = {
  id: 'workos',
  title: 'WorkOS',
  docs: 'https://workos.com/docs/events/data-syncing/webhooks',
  checkedOn: '2026-11-22',
  source: 'workos/workos-node, src/webhooks/webhooks.spec.ts (with id and event).',
  unconfirmed: ['fields that name, date and order', 'retries', 'deadline', 'new time on retries'],
  strength: 'signed',
  verify: [
    {
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
  retries: 'Up to six over three days with growing waits.',
  setup:
    "WorkOS Dashboard, Webhooks, Create webhook: this URL and the events. The secret is the endpoint's signing secret.",
};
