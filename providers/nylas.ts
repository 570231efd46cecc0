import type { ProviderSpec } from 'holdfast';

export const nylas: ProviderSpec = {
  id: 'nylas',
  title: 'Nylas',
  docs: 'https://developer.nylas.com/docs/v3/notifications/webhooks/',
  checkedOn: '2026-11-27',
  source:
    "Nylas' own pages (the changelog of its Node.js library 6.10.0, the recipe for failed webhooks): the header, ten seconds, a delivery may come twice. That it is an HMAC-SHA256 of the body in hex, the members of a notice and the repetitions: Hookdeck's description of Nylas' pages, and a receiver agrees.",
  unconfirmed: ['That id stays the same when a notice is sent again.', 'The three deliveries within 20 minutes.'],
  strength: 'signed',
  verify: [
    {
      id: 'nylas',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-nylas-signature' },
      encoding: 'hex',
      message: '{body}',
    },
  ],
  identity: {
    key: [['json:id']],
    type: ['json:type'],
    time: { from: 'json:time', unit: 's' },
    ordering: 'json:data.object.id',
    // webhook_delivery_attempt counts the deliveries.
    unstableBody: true,
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [
    {
      when: { method: 'GET', query: { challenge: '*' } },
      verify: 'none',
      guard: { src: 'query:challenge', accept: '^[A-Za-z0-9_.~+/=-]{1,256}$' },
      respond: { status: 200, contentType: 'text/plain', body: '{echo(query:challenge)}', elseStatus: 400 },
    },
  ],
  methods: ['POST', 'GET'],
  signatureHeaders: ['x-nylas-signature'],
  retries:
    'After 408, 429, 502, 503, 504 and 507 twice more, the last 10 to 20 minutes after the first. A webhook that fails for 72 hours is stopped.',
  setup:
    'Nylas Dashboard, Notifications, or POST /v3/webhooks: this URL and the triggers; Nylas asks the URL for its challenge at once. The webhook_secret is shown when the webhook is created. Leave compressed delivery off.',
};
