import type { ProviderSpec } from 'holdfast';
import { timedHmac } from './schemes/hmac-schemes.ts';

export const coinbaseCdp: ProviderSpec = {
  id: 'coinbase-cdp',
  title: 'Coinbase Developer Platform',
  docs: 'https://docs.cdp.coinbase.com/webhooks/verify-signatures',
  checkedOn: '2026-11-21',
  unconfirmed: ['retries', 'deadline', 'where each kind of subscription has its event id'],
  verify: [
    {
      id: 'coinbase-cdp-v1',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-hook0-signature', parse: { item: ',', kv: '=', key: 'v1', single: ['t', 'h'] } },
      encoding: 'hex',
      message: '{ts}.{sig:h}.{signedHeaders}.{body}',
      signedHeaders: { from: 'sig:h', sep: ' ', item: '{value}', join: '.' },
      time: { from: 'sig:t', unit: 's', past: 300, future: 300, signed: true },
    },
    { id: 'coinbase-cdp', ...timedHmac('x-hook0-signature', { key: 'v0' }) },
  ],
  identity: {
    // v0 is beside v1 in one header and covers no headers: under it the id in the header does not count.
    key: [['header:x-event-id'], ['json:id'], ['hash:body']],
    type: ['header:x-event-type', 'json:event_type', 'json:eventType', 'json:type'],
  },
  keepHeaders: ['x-hook0-id'],
  retries: 'Not documented; the sender is Hook0, which repeats with growing waits.',
  setup:
    'Create the webhook subscription through the CDP API with this URL; metadata.secret in the answer is the secret.',
};
