import type { ProviderSpec } from 'holdfast';

export const checkoutCom: ProviderSpec = {
  id: 'checkout-com',
  title: 'Checkout.com',
  docs: 'https://www.checkout.com/docs/developer-resources/webhooks',
  checkedOn: '2026-11-23',
  source:
    "checkout.com/docs, workflows (Checkout.com's own documentation): an HMAC-SHA256 of the raw body in hex, in Cko-Signature.",
  unconfirmed: ['Which fields identify, name and date an event.', 'Retries and the deadline of an answer.'],
  strength: 'signed',
  verify: [
    {
      id: 'checkout-com',
      alg: 'hmac-sha256',
      sig: { from: 'header:cko-signature' },
      encoding: 'hex',
      message: '{body}',
    },
  ],
  identity: {
    key: [['json:id']],
    type: ['json:type'],
    time: { from: 'json:created_on', unit: 'iso8601' },
    ordering: 'json:data.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['cko-signature', 'authorization'],
  retries: 'Eight times with growing waits over about two days; the event id stays the same.',
  setup:
    'Dashboard, Developers, Webhooks (or a workflow with a webhook action): this URL and a signature key, which is the secret of the source.',
};
