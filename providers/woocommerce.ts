import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const woocommerce: ProviderSpec = {
  id: 'woocommerce',
  title: 'WooCommerce',
  docs: 'https://woocommerce.com/document/webhooks/',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'that the first ping is unsigned', 'deadline'],
  verify: [bodyHmac('x-wc-webhook-signature', 'base64')],
  identity: {
    // The delivery id is made of the webhook's id and the time in seconds: orders of one second share it.
    key: [['header:x-wc-webhook-delivery-id', 'header:x-wc-webhook-source?', 'hash:body'], ['hash:body']],
    type: ['header:x-wc-webhook-topic'],
    ordering: 'json:id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  handshakes: [
    {
      when: { method: 'POST', formKeysExactly: ['webhook_id'] },
      verify: 'none',
      respond: { status: 200, contentType: 'text/plain', body: '' },
    },
  ],
  keepHeaders: ['x-wc-webhook-resource', 'x-wc-webhook-event', 'x-wc-webhook-id'],
  retries: 'None; more than five failures in a row disable the webhook.',
  setup:
    'WooCommerce, Settings, Advanced, Webhooks, Add webhook: this URL, status Active, the topic, and a secret you choose.',
};
