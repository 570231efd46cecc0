import type { ProviderSpec } from 'holdfast';

export const aftership: ProviderSpec = {
  id: 'aftership',
  title: 'AfterShip',
  docs: 'https://www.aftership.com/docs/tracking/webhook/webhook-signature',
  checkedOn: '2026-11-27',
  source:
    'aftership.com/docs, webhook signature of Tracking. Headers of other products, event fields and retries: hookdeck/webhook-skills.',
  unconfirmed: ['headers and identity of Returns, Warranty and Shipping', 'retries', 'deadline'],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: {
        from: ['header:aftership-hmac-sha256', 'header:as-signature-hmac-sha256', 'header:am-webhook-signature'],
        parse: { prefix: 'hmac-sha256=', prefixOptional: true },
      },
      encoding: 'base64',
      message: '{body}',
    },
  ],
  identity: {
    // Tracking; Returns and Warranty; Shipping, which says how a call ended.
    key: [['json:event_id'], ['json:id'], ['json:event_type', 'json:data.id']],
    type: ['json:event', 'json:event_type'],
    time: [
      { from: 'json:ts', unit: 's' },
      { from: 'json:created_at', unit: 'iso8601' },
      { from: 'json:date_time', unit: 'iso8601' },
    ],
    ordering: ['json:msg.id', 'json:data.id'],
  },
  keepHeaders: ['as-webhook-version'],
  retries: 'Up to 14 attempts with doubled waits, over 68 hours.',
  setup:
    'AfterShip admin of the product, Settings, Webhooks: this URL; the secret is shown there. Every product has its own: one source each.',
};
