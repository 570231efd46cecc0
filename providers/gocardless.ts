import type { ProviderSpec } from 'holdfast';

export const gocardless: ProviderSpec = {
  id: 'gocardless',
  title: 'GoCardless',
  docs: 'https://developer.gocardless.com/api-reference/#appendix-webhooks',
  checkedOn: '2026-11-23',
  source:
    "gocardless/gocardless-nodejs, src/webhooks.ts and types (GoCardless' own library): an HMAC-SHA256 of the body in hex, a list of events.",
  unconfirmed: [
    'That a repeated webhook has the same events in the same order.',
    'Retries and the deadline of an answer.',
  ],
  strength: 'signed',
  verify: [
    {
      id: 'gocardless',
      alg: 'hmac-sha256',
      sig: { from: 'header:webhook-signature' },
      encoding: 'hex',
      message: '{body}',
    },
  ],
  identity: {
    items: 'events[]',
    key: [['json:id']],
    type: ['json:resource_type', 'json:action'],
    typeJoin: '.',
    time: { from: 'json:created_at', unit: 'iso8601' },
    ordering: 'json:links.payment',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['webhook-signature'],
  retries:
    'Up to eight times with growing waits. A person can send a webhook again from the dashboard: the ids of its events stay the same.',
  setup:
    'GoCardless Dashboard, Developers, Create, Webhook endpoint: this URL and a secret, which is the secret of the source.',
};
