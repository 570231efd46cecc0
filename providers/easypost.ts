import type { ProviderSpec } from 'holdfast';

export const easypost: ProviderSpec = {
  id: 'easypost',
  title: 'EasyPost',
  docs: 'https://docs.easypost.com/guides/webhooks-guide',
  checkedOn: '2026-11-27',
  source:
    "EasyPost/easypost-node, src/utils/util.js (EasyPost's own library): an HMAC-SHA256 of the body in hex after hmac-sha256-hex=, the secret in Unicode form NFKD.",
  unconfirmed: [
    'Which fields name, date and order an event.',
    'That the body of an event changes as it is delivered.',
    'How often it tries again, and the deadline of an answer.',
  ],
  strength: 'signed',
  verify: [
    {
      id: 'easypost',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-hmac-signature', parse: { prefix: 'hmac-sha256-hex=' } },
      encoding: 'hex',
      message: '{body}',
    },
  ],
  identity: {
    key: [['json:id']],
    type: ['json:description'],
    time: { from: 'json:created_at', unit: 'iso8601' },
    ordering: 'json:result.id',
    // An event names its state and the URLs that have it already.
    unstableBody: true,
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['x-hmac-signature'],
  retries: 'After anything but 2xx; a webhook that keeps failing may be disabled.',
  setup:
    'Create the webhook with POST /v2/webhooks (or on the account page) with this URL and a webhook_secret of your own making, which is the secret of the source: letters and digits only, since EasyPost changes the form of others before it signs.',
};
