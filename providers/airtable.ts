import type { ProviderSpec } from 'holdfast';

export const airtable: ProviderSpec = {
  id: 'airtable',
  title: 'Airtable',
  docs: 'https://airtable.com/developers/web/api/webhooks-overview',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'number of retries', 'deadline'],
  verify: [
    {
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
  retries: 'With growing waits; repeated failures switch notifications off.',
  setup:
    'Create the webhook through the API with this URL as notificationUrl: macSecretBase64 in the answer, shown once, is the secret. Notices are empty: the handler fetches payloads with its cursor. Webhooks expire after seven days unless refreshed.',
};
