import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const checkoutCom: ProviderSpec = {
  id: 'checkout-com',
  title: 'Checkout.com',
  docs: 'https://www.checkout.com/docs/developer-resources/webhooks',
  checkedOn: '2026-11-23',
  source: 'checkout.com/docs, workflows.',
  unconfirmed: ['event fields', 'retries', 'deadline'],
  verify: [bodyHmac('cko-signature', 'hex')],
  identity: {
    key: [['json:id']],
    type: ['json:type'],
    time: { from: 'json:created_on', unit: 'iso8601' },
    ordering: 'json:data.id',
  },
  signatureHeaders: ['cko-signature', 'authorization'],
  retries: 'Eight over about two days with growing waits; the event id stays.',
  setup:
    'Dashboard, Developers, Webhooks (or a workflow with a webhook action): this URL and a signature key, which is the secret.',
};
