import type { ProviderSpec } from 'holdfast';

export const telnyx: ProviderSpec = {
  id: 'telnyx',
  title: 'Telnyx',
  docs: 'https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks',
  checkedOn: '2026-11-22',
  source:
    "Four independent receivers agree (Ed25519 over timestamp, | and body, key in base64); not read in Telnyx' documentation.",
  unconfirmed: [
    'Everything but the form of the signature: it was written without the documentation of the provider at hand.',
    'Whether a repeated delivery is signed with a new time.',
  ],
  strength: 'signed',
  verify: [
    {
      id: 'telnyx',
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
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['telnyx-signature-ed25519', 'telnyx-timestamp'],
  retries: 'Up to three times at each URL, first the main and then the failover URL.',
  setup:
    'Mission Control Portal, the messaging profile or application: this URL, API version 2. The secret of the source is the public key under Keys & Credentials.',
};
