import type { ProviderSpec } from 'holdfast';

export const quickbooks: ProviderSpec = {
  id: 'quickbooks',
  title: 'QuickBooks Online',
  docs: 'https://developer.intuit.com/app/developer/qbo/docs/develop/webhooks',
  checkedOn: '2026-11-22',
  source:
    "Two receivers agree on an HMAC-SHA256 of the body, and one of them shows base64; not read in Intuit's documentation.",
  unconfirmed: [
    'Everything but the form of the signature: it was written without the documentation of the provider at hand.',
    'That newer apps get CloudEvents instead of eventNotifications: two receivers take both; this file knows eventNotifications alone.',
  ],
  strength: 'signed',
  verify: [
    {
      id: 'quickbooks',
      alg: 'hmac-sha256',
      sig: { from: 'header:intuit-signature' },
      encoding: 'base64',
      message: '{body}',
    },
  ],
  identity: {
    // Since 2026 an array of CloudEvents; before, entities in notifications.
    items: ['[]', 'eventNotifications[].dataChangeEvent.entities[]'],
    key: [
      ['json:specversion', 'json:source?', 'json:id'],
      ['parent:realmId', 'json:name', 'json:id', 'json:operation', 'json:lastUpdated'],
    ],
    type: ['json:type', 'json:name', 'json:operation'],
    typeJoin: '.',
    time: { from: 'json:lastUpdated', unit: 'iso8601' },
    ordering: 'json:id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 3_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['intuit-signature'],
  retries:
    'After 20, 30 and 50 minutes, then every two hours or so for a day; an endpoint that keeps failing is marked and skipped.',
  setup:
    'Intuit Developer, the app, Webhooks: this URL and the entities. The secret of the source is the verifier token on that page. Handlers read the entity through the API: a notice only names it.',
};
