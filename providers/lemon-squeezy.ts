import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const lemonSqueezy: ProviderSpec = {
  id: 'lemon-squeezy',
  title: 'Lemon Squeezy',
  docs: 'https://docs.lemonsqueezy.com/help/webhooks',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries', 'deadline'],
  verify: [bodyHmac('x-signature', 'hex')],
  identity: {
    key: [
      // updated_at has whole seconds: two changes of one second differ only in what they say.
      ['hash:body'],
    ],
    type: ['json:meta.event_name'],
    time: { from: 'json:data.attributes.updated_at', unit: 'iso8601', dates: 'object' },
    ordering: 'json:data.id',
  },
  keepHeaders: ['x-event-name'],
  retries: 'Up to three with growing waits.',
  setup:
    'Lemon Squeezy, Settings, Webhooks: this URL, a signing secret you choose (6 to 40 characters), and the events.',
};
