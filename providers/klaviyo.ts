import type { ProviderSpec } from 'holdfast';

export const klaviyo: ProviderSpec = {
  id: 'klaviyo',
  title: 'Klaviyo system webhooks',
  docs: 'https://developers.klaviyo.com/en/docs/system-webhooks',
  checkedOn: '2026-11-22',
  unconfirmed: [
    'Everything but the form of the signature: it was written without the documentation of the provider at hand.',
    'Retries and the deadline of an answer.',
  ],
  strength: 'signed',
  verify: [
    {
      id: 'klaviyo',
      alg: 'hmac-sha256',
      sig: { from: 'header:klaviyo-signature' },
      encoding: 'hex',
      message: '{body}{header:klaviyo-timestamp}',
    },
  ],
  identity: {
    items: 'data[]',
    key: [['json:topic?', 'json:external_id']],
    type: ['json:topic'],
    ordering: 'json:external_id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['klaviyo-signature', 'klaviyo-timestamp'],
  keepHeaders: ['klaviyo-webhook-id'],
  retries: 'Not documented; the id of an event stays the same.',
  setup:
    'Create the webhook through the Webhooks API (or Integrations, Webhooks) with this URL and a secret key of your own making, which is the secret of the source.',
};
