import type { ProviderSpec } from 'holdfast';

export const telnyx: ProviderSpec = {
  id: 'telnyx',
  title: 'Telnyx',
  docs: 'https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks',
  checkedOn: '2026-11-22',
  source: "Four receivers agree; Telnyx' documentation was not read.",
  unconfirmed: ['everything but the form of the signature', 'new time on retries'],
  verify: [
    {
      alg: 'ed25519',
      sig: { from: 'header:telnyx-signature-ed25519' },
      encoding: 'base64',
      message: '{ts}|{body}',
      key: { encoding: 'base64' },
      time: { from: 'header:telnyx-timestamp', unit: 's', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    key: [['json:data.id']],
    type: ['json:data.event_type'],
    time: { from: 'json:data.occurred_at', unit: 'iso8601' },
    ordering: 'json:data.payload.id',
    // meta.attempt counts the deliveries.
    unstableBody: true,
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 2_000 },
  retries: 'Up to three at each URL, the main, then the failover URL.',
  setup:
    'Mission Control Portal, the messaging profile or application: this URL, API version 2. The public key under Keys & Credentials is the secret.',
};
