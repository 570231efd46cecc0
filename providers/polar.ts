import type { ProviderSpec } from 'holdfast';
import { standardScheme } from './schemes/hmac-schemes.ts';

export const polar: ProviderSpec = {
  id: 'polar',
  title: 'Polar',
  docs: 'https://polar.sh/docs/integrate/webhooks/delivery',
  checkedOn: '2026-11-23',
  source: 'polarsource/polar-js, src/webhooks.ts.',
  unconfirmed: ['fields that name, date and order', 'retries', 'deadline'],
  // Unlike other senders of this form, Polar uses the text of the secret as it is.
  verify: [standardScheme('webhook')],
  identity: {
    key: [['header:webhook-id']],
    type: ['json:type'],
    time: { from: 'json:timestamp', unit: 'iso8601' },
    ordering: 'json:data.id',
  },
  retries: 'Up to ten with growing waits; webhook-id stays.',
  setup:
    'Polar, the organisation, Settings, Webhooks, Add endpoint: this URL, format Raw, and a secret, used unchanged.',
};
