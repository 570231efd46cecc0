import type { ProviderSpec } from 'holdfast';

export const airtable: ProviderSpec = {
  id: 'airtable',
  title: 'Airtable',
  docs: 'https://airtable.com/developers/web/api/webhooks-overview',
  checkedOn: '2026-11-21',
  unconfirmed: [
    'Which fields identify, name and date an event.',
    'How often a failed notice is repeated.',
    'The deadline of an answer.',
  ],
  strength: 'signed',
  verify: [
    {
      id: 'airtable',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-airtable-content-mac', parse: { prefix: 'hmac-sha256=' } },
      encoding: 'hex',
      key: { encoding: 'base64' },
      message: '{body}',
    },
  ],
  identity: {
    key: [['json:webhook.id', 'json:timestamp'], ['none']],
    type: [],
    time: { from: 'json:timestamp', unit: 'iso8601' },
    ordering: 'json:base.id',
  },
  ack: { status: 204, body: '', rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['x-airtable-content-mac'],
  retries: 'With growing waits; after repeated failures notifications are switched off.',
  setup:
    'Create the webhook through the API with this URL as notificationUrl: the answer carries macSecretBase64, which is the secret, once. A notice is empty: the handler fetches the payloads with its cursor. Webhooks expire after seven days unless refreshed.',
};
