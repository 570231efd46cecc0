import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const nylas: ProviderSpec = {
  id: 'nylas',
  title: 'Nylas',
  docs: 'https://developer.nylas.com/docs/v3/notifications/webhooks/',
  checkedOn: '2026-11-27',
  source:
    "Changelog of Nylas' Node.js library 6.10.0 and its recipe for failed webhooks. Signature, event fields, retries: Hookdeck's description, and a receiver agrees.",
  unconfirmed: ['same id on retries', 'retries'],
  verify: [bodyHmac('x-nylas-signature', 'hex')],
  identity: {
    key: [['json:id']],
    type: ['json:type'],
    time: { from: 'json:time', unit: 's' },
    ordering: 'json:data.object.id',
    // webhook_delivery_attempt counts the deliveries.
    unstableBody: true,
  },
  handshakes: [
    {
      when: { method: 'GET', query: { challenge: '*' } },
      verify: 'none',
      guard: { src: 'query:challenge', accept: '^[A-Za-z0-9_.~+/=-]{1,256}$' },
      respond: { status: 200, contentType: 'text/plain', body: '{echo(query:challenge)}', elseStatus: 400 },
    },
  ],
  retries:
    'Two after 408, 429, 502, 503, 504 and 507, the last 10 to 20 minutes after the first. A webhook failing for 72 hours is stopped.',
  setup:
    'Nylas Dashboard, Notifications, or POST /v3/webhooks: this URL and the triggers; Nylas asks it for a challenge at once. webhook_secret is shown at creation. Leave compressed delivery off.',
};
