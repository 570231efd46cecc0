import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const tally: ProviderSpec = {
  id: 'tally',
  title: 'Tally',
  docs: 'https://tally.so/help/webhooks',
  checkedOn: '2026-11-27',
  source: "developers.tally.so, webhooks. Signature: two receivers agree; event fields: Hookdeck's description.",
  unconfirmed: ['deadline'],
  verify: [bodyHmac('tally-signature', 'base64')],
  identity: {
    key: [['json:eventId']],
    type: ['json:eventType'],
    time: { from: 'json:createdAt', unit: 'iso8601' },
    ordering: 'json:data.responseId',
  },
  retries: 'Five: after 5 and 30 minutes, 1, 6 and 24 hours.',
  setup: 'Tally, the form, Integrations, Webhooks: this URL, and a signing secret; without one nothing is signed.',
};
