import type { ProviderSpec } from 'holdfast';

export const hookdeck: ProviderSpec = {
  id: 'hookdeck',
  title: 'Hookdeck Event Gateway',
  docs: 'https://hookdeck.com/docs/authentication',
  checkedOn: '2026-11-27',
  source:
    "hookdeck/webhook-skills, hookdeck-event-gateway-webhooks (Hookdeck's own library of receivers): an HMAC-SHA256 of the body in base64. The second header while a secret is replaced, and the id that every attempt has: trigger.dev, docs/webhooks/providers/hookdeck.",
  unconfirmed: ['The deadline of an answer.'],
  strength: 'signed',
  verify: [
    {
      id: 'hookdeck',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-hookdeck-signature' },
      encoding: 'base64',
      message: '{body}',
    },
    {
      id: 'hookdeck-second',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-hookdeck-signature-2' },
      encoding: 'base64',
      message: '{body}',
    },
  ],
  identity: {
    // Not signed.
    key: [['header:x-hookdeck-eventid']],
    type: ['json:type', 'json:event_type', 'json:event'],
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['x-hookdeck-signature', 'x-hookdeck-signature-2'],
  keepHeaders: ['x-hookdeck-attempt-count', 'x-hookdeck-source-name', 'x-hookdeck-verified'],
  retries: 'As the retry rule of the connection says; x-hookdeck-eventid stays the same.',
  setup:
    'Hookdeck, a connection with an HTTP destination, this URL and authentication Hookdeck Signature (the default). The signing secret of the project (Settings, Secrets) is the secret of the source. The body is that of the sender, so the type is read where most have it.',
};
