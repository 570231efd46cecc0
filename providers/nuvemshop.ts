import type { ProviderSpec } from 'holdfast';

export const nuvemshop: ProviderSpec = {
  id: 'nuvemshop',
  title: 'Nuvemshop (Tiendanube)',
  docs: 'https://tiendanube.github.io/api-documentation/resources/webhook',
  checkedOn: '2026-11-27',
  source:
    "TiendaNube/api-docs, resources/webhook.md (Tiendanube's own documentation): an HMAC-SHA256 of the body in hex by the app's secret; store_id, event and id.",
  unconfirmed: [
    'How often a notice is repeated: that page says 14 times in three days; others have read 18 times in 48 hours.',
    'A deadline of three seconds.',
  ],
  strength: 'signed',
  verify: [
    {
      id: 'nuvemshop',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-linkedstore-hmac-sha256' },
      encoding: 'hex',
      message: '{body}',
    },
  ],
  // The body only names the object and is the same for each of its changes: nothing may be taken for a repetition.
  identity: { key: [['none']], type: ['json:event'], ordering: 'json:id' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 3_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['x-linkedstore-hmac-sha256'],
  retries: 'After any answer but 2xx, with growing waits, for two to three days.',
  setup:
    "Create the webhook through the API (POST /webhooks) with this URL and one event; one app's webhooks come for all its stores. The secret of the source is the app's client secret. A notice only names the object: the handler reads it through the API.",
};
