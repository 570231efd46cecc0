import type { ProviderSpec } from 'holdfast';

export const commerceLayer: ProviderSpec = {
  id: 'commerce-layer',
  title: 'Commerce Layer',
  docs: 'https://docs.commercelayer.io/core/callbacks-security',
  checkedOn: '2026-11-27',
  source:
    'Five independent receivers agree on an HMAC-SHA256 of the body in base64, among them hookdeck/webhook-skills, which tells the rules of docs.commercelayer.io: five seconds, ten retries, disabled after 30 failures.',
  unconfirmed: [
    'What tells events apart: they have no id.',
    'Whether a repeated delivery has the same body.',
    'Which field dates it.',
  ],
  strength: 'signed',
  verify: [
    {
      id: 'commerce-layer',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-commercelayer-signature' },
      encoding: 'base64',
      message: '{body}',
    },
  ],
  identity: {
    // The body is the thing as it is now. The topic is not signed.
    key: [['header:x-commercelayer-topic', 'hash:body']],
    type: ['header:x-commercelayer-topic'],
    time: { from: 'json:data.attributes.updated_at', unit: 'iso8601', dates: 'object' },
    ordering: 'json:data.id',
  },
  types: { character: '[a-z_.]', example: 'orders.place' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['x-commercelayer-signature'],
  retries: 'Up to ten times; a webhook with 30 failures in a row is disabled until somebody resets it.',
  setup:
    'Create the webhook (dashboard or POST /api/webhooks) with a topic and this URL as callback_url: the answer has its shared_secret, which is the secret of the source. One source per webhook.',
};
