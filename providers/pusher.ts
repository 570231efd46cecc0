import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const pusher: ProviderSpec = {
  id: 'pusher',
  title: 'Pusher Channels',
  docs: 'https://pusher.com/docs/channels/server_api/webhooks/',
  checkedOn: '2026-11-27',
  source: 'pusher/docs, docs/channels/server_api/webhooks.md; pusher/pusher-http-node, lib/webhook.js.',
  unconfirmed: ['same time_ms on retries (else it runs again)', 'deadline'],
  verify: [bodyHmac('x-pusher-signature', 'hex')],
  identity: {
    items: 'events[]',
    // Events have no id: what happened where, in a webhook made in this millisecond.
    key: [
      ['root:time_ms', 'json:name', 'json:channel', 'json:user_id?', 'json:event?', 'json:socket_id?', 'json:data?'],
      ['root:time_ms', 'hash:body'],
    ],
    type: ['json:name'],
    time: { from: 'root:time_ms', unit: 'ms' },
    ordering: 'json:channel',
  },
  keepHeaders: ['x-pusher-key'],
  retries: 'For five minutes with growing waits after anything but 2xx.',
  setup:
    'Pusher dashboard, the app, Webhooks: this URL and the events. The secret is that of the app (App Keys): of several keys the oldest active one signs; X-Pusher-Key names it.',
};
