import type { ProviderSpec } from 'holdfast';

export const plaid: ProviderSpec = {
  id: 'plaid',
  title: 'Plaid',
  docs: 'https://plaid.com/docs/api/webhooks/webhook-verification/',
  checkedOn: '2026-11-21',
  unconfirmed: [
    'Retries for 24 hours and a deadline of ten seconds.',
    'Whether a repeated delivery is signed with a new iat (then it is a new event here).',
    'Whether Plaid signs for its other customers with the same keys: the token does not name yours, so look the item up before you act.',
  ],
  strength: 'signed',
  verify: [
    {
      id: 'plaid',
      alg: 'jwt',
      sig: { from: 'header:plaid-verification' },
      jwtAlg: 'ES256',
      key: { provider: 'plaid' },
      bind: [{ equals: 'claim:request_body_sha256', hash: 'sha256', encoding: 'hex' }],
      maxAgeSeconds: 300,
      leewaySeconds: 60,
    },
  ],
  identity: {
    // No event id exists: type, item and time of signing together are the nearest to one.
    key: [['hash:body', 'claim:iat']],
    type: ['json:webhook_type', 'json:webhook_code'],
    typeJoin: '.',
    time: { from: 'claim:iat', unit: 's' },
    ordering: 'json:item_id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['plaid-verification'],
  settings: {
    clientId: 'The client_id of your Plaid account',
    environment: 'production or sandbox: decides which Plaid host the key is fetched from',
  },
  retries: 'For 24 hours with growing waits.',
  setup:
    'Pass this URL as webhook when you create a Link token, or set it with /item/webhook/update. Plaid signs with a key that is fetched from Plaid by its id: the secret of the source is the API secret of your account, the setting clientId its client_id. The same notice may arrive twice: treat it as a hint and fetch the data.',
};
