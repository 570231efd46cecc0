import type { ProviderSpec } from 'holdfast';

export const box: ProviderSpec = {
  id: 'box',
  title: 'Box',
  docs: 'https://developer.box.com/guides/webhooks/v2/signatures-v2/',
  checkedOn: '2026-11-27',
  source: "box/developer.box.com, content/guides/webhooks/v2; vectors from Box' libraries.",
  verify: [
    {
      id: 'box',
      alg: 'hmac-sha256',
      sig: { from: 'header:box-signature-primary' },
      encoding: 'base64',
      message: '{body}{ts}',
      time: { from: 'header:box-delivery-timestamp', unit: 'iso8601', past: 600, future: 600, signed: true },
    },
    {
      id: 'box-secondary',
      alg: 'hmac-sha256',
      sig: { from: 'header:box-signature-secondary' },
      encoding: 'base64',
      message: '{body}{ts}',
      time: { from: 'header:box-delivery-timestamp', unit: 'iso8601', past: 600, future: 600, signed: true },
    },
  ],
  identity: {
    // box-delivery-id changes with every retry.
    key: [['json:id']],
    type: ['json:trigger'],
    time: { from: 'json:created_at', unit: 'iso8601' },
    ordering: 'json:source.id',
  },
  types: { character: '[A-Z_.]', example: 'FILE.UPLOADED' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 30_000 },
  keepHeaders: ['box-delivery-id'],
  retries: 'Up to ten, first after five minutes, then with growing waits.',
  setup:
    'Box developer console, the app, Webhooks, Manage signature keys: generate a key, which is the secret (either of two: both sign, so one can be replaced). Create a V2 webhook with this URL.',
};
