import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const paystack: ProviderSpec = {
  id: 'paystack',
  title: 'Paystack',
  docs: 'https://paystack.com/docs/payments/webhooks/',
  checkedOn: '2026-11-22',
  source: "Six receivers agree; Paystack's documentation was not read.",
  unconfirmed: ['everything but the form of the signature', 'deadline'],
  verify: [bodyHmac('x-paystack-signature', 'hex', { alg: 'hmac-sha512' })],
  identity: {
    // There is no id of the event, and one transaction has several of a kind.
    key: [['hash:body']],
    type: ['json:event'],
    ordering: 'json:data.reference',
  },
  ips: {
    ranges: ['52.31.139.75/32', '52.49.173.169/32', '52.214.14.220/32'],
    readOn: '2026-11-22',
    from: 'https://paystack.com/docs/payments/webhooks/',
    copied: true,
  },
  retries:
    'Live: every three minutes for the first four tries, then every hour for 72 hours. Test: every hour for ten hours.',
  setup:
    'Paystack Dashboard, Settings, API Keys & Webhooks: this URL. The secret is the secret key (sk_live_… or sk_test_…).',
};
