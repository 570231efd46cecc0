import type { ProviderSpec } from 'holdfast';

export const plaid: ProviderSpec = {
  id: 'plaid',
  title: 'Plaid',
  docs: 'https://plaid.com/docs/api/webhooks/webhook-verification/',
  checkedOn: '2026-11-21',
  unconfirmed: [
    'retries',
    'the deadline of ten seconds',
    'new iat on retries (then a new event here)',
    'whether the same keys sign for other customers: the token does not name you, so look the item up before you act',
  ],
  strength: 'signed',
  verify: [
    {
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
  settings: {
    clientId: "Your account's client_id",
    environment: 'production or sandbox: the Plaid host of the key',
  },
  retries: 'For 24 hours with growing waits.',
  setup:
    "Pass this URL as webhook when you create a Link token, or set it with /item/webhook/update. The secret is your account's API secret, with which the key is fetched. The same notice may arrive twice: treat it as a hint and fetch the data.",
};
