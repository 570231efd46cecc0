import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const nuvemshop: ProviderSpec = {
  id: 'nuvemshop',
  title: 'Nuvemshop (Tiendanube)',
  docs: 'https://tiendanube.github.io/api-documentation/resources/webhook',
  checkedOn: '2026-11-27',
  source: 'TiendaNube/api-docs, resources/webhook.md.',
  unconfirmed: ['number of retries (there 14 in three days, elsewhere 18 in 48 hours)', 'deadline'],
  verify: [bodyHmac('x-linkedstore-hmac-sha256', 'hex')],
  // The body only names the object and is the same for each of its changes: nothing may be taken for a repetition.
  identity: { key: [['none']], type: ['json:event'], ordering: 'json:id' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 3_000 },
  retries: 'After anything but 2xx, for two to three days with growing waits.',
  setup:
    "POST /webhooks with this URL and one event; an app's webhooks come for all its stores. The secret is the app's client secret. Notices only name the object: read it through the API.",
};
