import type { ProviderSpec } from 'holdfast';
import { timedHmac } from './schemes/hmac-schemes.ts';

export const workos: ProviderSpec = {
  id: 'workos',
  title: 'WorkOS',
  docs: 'https://workos.com/docs/events/data-syncing/webhooks',
  checkedOn: '2026-11-22',
  source: 'workos/workos-node, src/webhooks/webhooks.spec.ts (with id and event).',
  unconfirmed: ['fields that name, date and order', 'retries', 'deadline', 'new time on retries'],
  verify: [timedHmac('workos-signature', { unit: 'ms' })],
  identity: {
    key: [['json:id']],
    type: ['json:event'],
    time: { from: 'json:created_at', unit: 'iso8601' },
    ordering: 'json:data.id',
  },
  retries: 'Up to six over three days with growing waits.',
  setup:
    "WorkOS Dashboard, Webhooks, Create webhook: this URL and the events. The secret is the endpoint's signing secret.",
};
