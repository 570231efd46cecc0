import type { ProviderSpec } from 'holdfast';

export const uberEats: ProviderSpec = {
  id: 'uber-eats',
  title: 'Uber Eats',
  docs: 'https://developer.uber.com/docs/eats/guides/webhooks',
  checkedOn: '2026-11-27',
  source:
    "Four receivers agree (an HMAC-SHA256 of the body in hex by the client secret, in X-Uber-Signature); the members of an event and the repetitions: Hookdeck's description of Uber's page; not read in Uber's documentation.",
  unconfirmed: ['That event_id stays the same when an event is sent again.', 'The deadline of an answer.'],
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
  retries: 'After 5xx or no answer: after 10, 30, 60 and 120 seconds and then less and less often, about seven times.',
  setup:
    'Uber Developer Dashboard, the app, Webhooks: this URL as primary webhook URL. The secret of the source is the client secret of the app; of Uber Direct it is the signing key of the webhook.',
};
