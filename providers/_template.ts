import type { ProviderSpec } from 'holdfast';

/** What each field means: docs/receive/add-a-provider.md. */
export const template: ProviderSpec = {
  id: 'acme',
  title: 'Acme',
  docs: 'https://docs.example.com/webhooks',
  // The day you read the provider's documentation.
  checkedOn: '2026-11-21',
  // What you could not find there: event fields, retries, deadline, or a clause. Leave it out when there is nothing.
  unconfirmed: ['deadline'],
  verify: [
    {
      alg: 'hmac-sha256',
      // Where the signature is. Header names in lower case.
      sig: { from: 'header:x-acme-signature', parse: { prefix: 'sha256=' } },
      encoding: 'hex',
      // Exactly the bytes that are signed.
      message: '{ts}.{body}',
      // Leave it out when the time is not part of the signed bytes.
      time: { from: 'header:x-acme-timestamp', unit: 's', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    // What stays the same when the provider sends the event again, and differs for every other event.
    key: [['json:id']],
    type: ['json:type'],
    time: { from: 'json:created_at', unit: 'iso8601' },
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  retries: 'How often and for how long the provider tries again.',
  setup: 'Where to click, and where the secret is found.',
};
