import type { ProviderSpec } from 'holdfast';

export const uberEats: ProviderSpec = {
  id: 'uber-eats',
  title: 'Uber Eats',
  docs: 'https://developer.uber.com/docs/eats/guides/webhooks',
  checkedOn: '2026-11-27',
  source:
    "developer.uber.com, eats webhooks (orders.notification, orders.release) and the guides of webhooks (Uber's own documentation): an HMAC-SHA256 of the body in hex by the client secret, event_id by which an event is taken once, 200 with an empty body, seven attempts.",
  unconfirmed: ['The deadline of an answer.'],
  strength: 'signed',
  verify: [
    {
      id: 'uber-eats',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-uber-signature' },
      encoding: 'hex',
      message: '{body}',
    },
  ],
  identity: {
    key: [['json:event_id']],
    type: ['json:event_type'],
    time: { from: 'json:event_time', unit: 's' },
    ordering: 'json:meta.resource_id',
  },
  ack: { status: 200, contentType: 'text/plain', body: '', rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['x-uber-signature'],
  retries: 'After 1, 2, 4 seconds and so on, seven attempts in all, until 200 with an empty body.',
  setup:
    'Uber Developer Dashboard, the app, Webhooks: this URL as primary webhook URL. The secret of the source is the client secret of the app; of Uber Direct it is the signing key of the webhook.',
};
