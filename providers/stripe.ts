import type { ProviderSpec } from '#core/inbound/provider-spec.ts';

export const stripe: ProviderSpec = {
  id: 'stripe',
  title: 'Stripe',
  docs: 'https://docs.stripe.com/webhooks',
  checkedOn: '2026-11-21',
  strength: 'signed',
  verify: [
    {
      id: 'stripe',
      alg: 'hmac-sha256',
      sig: { from: 'header:stripe-signature', parse: { item: ',', kv: '=', key: 'v1', single: ['t'] } },
      encoding: 'hex',
      message: '{ts}.{body}',
      time: { from: 'sig:t', unit: 's', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    key: [['json:id']],
    type: ['json:type'],
    time: { from: 'json:created', unit: 's' },
    ordering: 'json:data.object.id',
  },
  ack: { status: 200, rejectStatus: 400, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['stripe-signature'],
  retries:
    'Live mode: up to three days with growing waits. Each attempt is signed anew with a new time. Redirects count as failures.',
  setup:
    'Stripe Dashboard, Workbench, Webhooks: add an event destination with this URL, choose the events, then reveal the signing secret (whsec_…) of that destination. Test mode, live mode and the Stripe CLI each have their own secret. During a rolled secret Stripe signs with both for up to 24 hours.',
};
