import type { ProviderSpec } from 'holdfast';

export const alchemy: ProviderSpec = {
  id: 'alchemy',
  title: 'Alchemy Notify',
  docs: 'https://www.alchemy.com/docs/reference/webhooks-overview',
  checkedOn: '2026-11-27',
  source:
    'hookdeck/webhook-skills, which tells the rules of alchemy.com/docs (the header, the fields of an event, the retries), and three independent receivers that agree on an HMAC-SHA256 of the body in hex.',
  unconfirmed: ['The deadline of an answer.', 'Retries for ten minutes, or an hour for Enterprise.'],
  strength: 'signed',
  verify: [
    {
      id: 'alchemy',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-alchemy-signature' },
      encoding: 'hex',
      message: '{body}',
    },
  ],
  identity: {
    key: [['json:id']],
    type: ['json:type'],
    time: { from: 'json:createdAt', unit: 'iso8601' },
    ordering: 'json:webhookId',
  },
  types: { character: '[A-Z_]', example: 'ADDRESS_ACTIVITY' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['x-alchemy-signature'],
  retries: 'With growing waits for about ten minutes; for an hour on Enterprise plans.',
  setup:
    'Alchemy dashboard, Webhooks, Create webhook: this URL. The signing key on the page of the webhook is the secret of the source: one source per webhook.',
};
