import type { ProviderSpec } from 'holdfast';

export const onfleet: ProviderSpec = {
  id: 'onfleet',
  title: 'Onfleet',
  docs: 'https://docs.onfleet.com/reference/secrets',
  checkedOn: '2026-11-27',
  source:
    "docs.onfleet.com, webhook authentication, webhooks and payload examples, and the gem ruby-onfleet (Onfleet's own): an HMAC-SHA512 of the raw body, the key is the secret as hex, the triggers, the repetitions. That the signature is in hex: three receivers agree, n8n's among them; that the check is answered by its own text: two.",
  unconfirmed: [
    'That time stays the same when an event is sent again: else it runs again.',
    'The deadline of an answer.',
  ],
  strength: 'signed',
  verify: [
    {
      id: 'onfleet',
      alg: 'hmac-sha512',
      sig: { from: 'header:x-onfleet-signature' },
      encoding: 'hex',
      key: { encoding: 'hex' },
      message: '{body}',
    },
  ],
  identity: {
    key: [
      ['json:triggerId', 'json:taskId', 'json:time'],
      ['json:triggerId', 'json:workerId', 'json:time'],
      ['hash:body'],
    ],
    type: ['json:triggerName'],
    time: { from: 'json:time', unit: 'ms' },
    ordering: ['json:taskId', 'json:workerId'],
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [
    {
      when: { method: 'GET', query: { check: '*' } },
      verify: 'none',
      guard: { src: 'query:check', accept: '^[A-Za-z0-9_.~+/=-]{1,256}$' },
      respond: { status: 200, contentType: 'text/plain', body: '{echo(query:check)}', elseStatus: 400 },
    },
  ],
  methods: ['POST', 'GET'],
  signatureHeaders: ['x-onfleet-signature'],
  retries: 'Every 30 minutes for a day after any answer but 200.',
  setup:
    'Onfleet Dashboard, Settings, API & Webhooks, or POST /webhooks: this URL and one trigger each. The secret of the source is the webhook secret shown there, in hex; all webhooks of an organization share it.',
};
