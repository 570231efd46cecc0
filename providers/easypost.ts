import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const easypost: ProviderSpec = {
  id: 'easypost',
  title: 'EasyPost',
  docs: 'https://docs.easypost.com/guides/webhooks-guide',
  checkedOn: '2026-11-27',
  source: 'EasyPost/easypost-node, src/utils/util.js.',
  unconfirmed: [
    'fields that name, date and order',
    "that an event's body changes as it is delivered",
    'number of retries',
    'deadline',
  ],
  verify: [bodyHmac('x-hmac-signature', 'hex', { parse: { prefix: 'hmac-sha256-hex=' } })],
  identity: {
    key: [['json:id']],
    type: ['json:description'],
    time: { from: 'json:created_at', unit: 'iso8601' },
    ordering: 'json:result.id',
    // An event names its state and the URLs that have it already.
    unstableBody: true,
  },
  retries: 'After anything but 2xx; a webhook that keeps failing may be disabled.',
  setup:
    'Create the webhook (POST /v2/webhooks or account page) with this URL and a webhook_secret you choose, which is the secret: letters and digits only, since EasyPost changes others before it signs.',
};
