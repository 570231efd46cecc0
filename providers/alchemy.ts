import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const alchemy: ProviderSpec = {
  id: 'alchemy',
  title: 'Alchemy Notify',
  docs: 'https://www.alchemy.com/docs/reference/webhooks-overview',
  checkedOn: '2026-11-27',
  source: 'hookdeck/webhook-skills, after alchemy.com/docs; three receivers agree on the signature.',
  unconfirmed: ['deadline', 'retries'],
  verify: [bodyHmac('x-alchemy-signature', 'hex')],
  identity: {
    key: [['json:id']],
    type: ['json:type'],
    time: { from: 'json:createdAt', unit: 'iso8601' },
    ordering: 'json:webhookId',
  },
  types: { character: '[A-Z_]', example: 'ADDRESS_ACTIVITY' },
  retries: 'For about ten minutes with growing waits; an hour on Enterprise plans.',
  setup:
    "Alchemy dashboard, Webhooks, Create webhook: this URL. The signing key on the webhook's page is the secret: one source per webhook.",
};
