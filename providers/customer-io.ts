import type { ProviderSpec } from 'holdfast';

export const customerIo: ProviderSpec = {
  id: 'customer-io',
  title: 'Customer.io',
  docs: 'https://docs.customer.io/api/webhooks',
  checkedOn: '2026-11-27',
  source:
    'docs.customer.io, reporting webhooks. Signed text, event fields, event_id: three receivers and a copied excerpt.',
  unconfirmed: ['new time on retries (so no limit of age)', 'retries'],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:x-cio-signature' },
      encoding: 'hex',
      message: 'v0:{ts}:{body}',
      time: { from: 'header:x-cio-timestamp', unit: 's', signed: true },
    },
  ],
  identity: {
    key: [['json:event_id']],
    type: ['json:object_type', 'json:metric'],
    typeJoin: '.',
    time: { from: 'json:timestamp', unit: 's' },
    ordering: 'json:data.customer_id',
  },
  types: { character: '[a-z_.]', example: 'email.delivered' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 4_000 },
  retries: 'For up to seven days with growing waits.',
  setup:
    "Customer.io, Data & Integrations, Integrations, Reporting Webhooks, Add: this URL and the events. The webhook's signing key is the secret.",
};
