import type { ProviderSpec } from 'holdfast';

export const finch: ProviderSpec = {
  id: 'finch',
  title: 'Finch',
  docs: 'https://github.com/Finch-API/finch-api-node/blob/main/src/resources/webhooks.ts',
  checkedOn: '2026-11-27',
  source: 'Finch-API/finch-api-node, src/resources/webhooks.ts.',
  unconfirmed: ['deadline', 'same id on retries'],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:finch-signature', parse: { item: ' ', kv: ',', key: 'v1' } },
      encoding: 'base64',
      key: { encoding: 'base64' },
      message: '{header:finch-event-id}.{ts}.{body}',
      time: { from: 'header:finch-timestamp', unit: 's', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    key: [['header:finch-event-id']],
    type: ['json:event_type'],
    ordering: ['json:connection_id', 'json:company_id'],
  },
  types: { character: '[a-z_.0-9]', example: 'employment.updated' },
  retries: 'Not documented.',
  setup:
    "Finch dashboard, Webhooks: add this URL and the events. The secret is the endpoint's signing secret (base64).",
};
