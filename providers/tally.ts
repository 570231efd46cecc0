import type { ProviderSpec } from 'holdfast';

export const tally: ProviderSpec = {
  id: 'tally',
  title: 'Tally',
  docs: 'https://tally.so/help/webhooks',
  checkedOn: '2026-11-27',
  source:
    "developers.tally.so, webhooks (Tally's own documentation): an optional signing secret, five repetitions, an event is sent again by its id. The signature (an HMAC-SHA256 of the body in base64): two receivers agree; the members of an event: Hookdeck's description of Tally's page.",
  unconfirmed: ['The deadline of an answer.'],
  strength: 'signed',
  verify: [
    {
      id: 'tally',
      alg: 'hmac-sha256',
      sig: { from: 'header:tally-signature' },
      encoding: 'base64',
      message: '{body}',
    },
  ],
  identity: {
    key: [['json:eventId']],
    type: ['json:eventType'],
    time: { from: 'json:createdAt', unit: 'iso8601' },
    ordering: 'json:data.responseId',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['tally-signature'],
  retries: 'Five times: after 5 and 30 minutes, 1, 6 and 24 hours.',
  setup:
    'Tally, the form, Integrations, Webhooks: this URL, and a signing secret, which is the secret of the source. A webhook without one is not signed.',
};
