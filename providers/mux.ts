import type { ProviderSpec } from 'holdfast';
import { timedHmac } from './schemes/hmac-schemes.ts';

export const mux: ProviderSpec = {
  id: 'mux',
  title: 'Mux',
  docs: 'https://www.mux.com/docs/core/listen-for-webhooks',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries', 'deadline'],
  verify: [timedHmac('mux-signature')],
  identity: {
    key: [['json:id']],
    type: ['json:type'],
    time: { from: 'json:created_at', unit: 'iso8601' },
    ordering: 'json:object.id',
    // attempts counts the deliveries.
    unstableBody: true,
  },
  retries: 'For 24 hours with growing waits.',
  setup:
    'Mux dashboard, Settings, Webhooks, Create new webhook: this URL; the list shows the signing secret. One webhook per environment.',
};
