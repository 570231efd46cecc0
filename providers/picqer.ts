import type { ProviderSpec } from 'holdfast';

export const picqer: ProviderSpec = {
  id: 'picqer',
  title: 'Picqer',
  docs: 'https://picqer.com/en/api/webhooks',
  checkedOn: '2026-11-27',
  source:
    "picqer/picqer-php, src/PicqerWebhook.php (Picqer's own library): an HMAC-SHA256 of the body in base64; idhook, event, event_triggered_at and data. Deadline and repetitions: Hookdeck's description of Picqer's page.",
  unconfirmed: [
    'The zone of event_triggered_at: it is not read as a time.',
    'A deadline of ten seconds, 15 repetitions in 17 hours.',
  ],
  strength: 'signed',
  verify: [
    {
      id: 'picqer',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-picqer-signature' },
      encoding: 'base64',
      message: '{body}',
    },
  ],
  // Events have no id, and their time is in seconds: two changes of one second differ in their data.
  identity: { key: [['hash:body']], type: ['json:event'] },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['x-picqer-signature'],
  retries: 'Up to 15 times in about 17 hours. A hook that fails so five times in a day is switched off.',
  setup:
    'Picqer, Settings, Webhooks, or POST /api/v1/hooks: this URL, one event, and a secret of your own making. A hook without a secret is not signed.',
};
