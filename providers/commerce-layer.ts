import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const commerceLayer: ProviderSpec = {
  id: 'commerce-layer',
  title: 'Commerce Layer',
  docs: 'https://docs.commercelayer.io/core/callbacks-security',
  checkedOn: '2026-11-27',
  source: 'Five receivers agree, among them hookdeck/webhook-skills, after docs.commercelayer.io.',
  unconfirmed: ['what tells events apart (they have no id)', 'same body on retries', 'the field that dates it'],
  verify: [bodyHmac('x-commercelayer-signature', 'base64')],
  identity: {
    // The body is the thing as it is now. The topic is not signed.
    key: [['header:x-commercelayer-topic', 'hash:body']],
    type: ['header:x-commercelayer-topic'],
    time: { from: 'json:data.attributes.updated_at', unit: 'iso8601', dates: 'object' },
    ordering: 'json:data.id',
  },
  types: { character: '[a-z_.]', example: 'orders.place' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  retries: 'Up to ten; 30 failures in a row disable the webhook until somebody resets it.',
  setup:
    'Create the webhook (dashboard or POST /api/webhooks) with a topic and this URL as callback_url: shared_secret in the answer is the secret. One source per webhook.',
};
