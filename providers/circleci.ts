import type { ProviderSpec } from 'holdfast';

export const circleci: ProviderSpec = {
  id: 'circleci',
  title: 'CircleCI',
  docs: 'https://circleci.com/docs/webhooks/',
  checkedOn: '2026-11-23',
  source:
    "circleci.com/docs, outbound webhooks (CircleCI's own documentation): the headers, five seconds, id to tell a repetition, repetitions after anything but 2xx. The form of the signature: three independent receivers agree, among them a tutorial of CircleCI.",
  unconfirmed: ['How often a delivery is tried again: its documentation says that this is not documented.'],
  strength: 'signed',
  verify: [
    {
      id: 'circleci',
      alg: 'hmac-sha256',
      sig: { from: 'header:circleci-signature', parse: { item: ',', kv: '=', key: 'v1' } },
      encoding: 'hex',
      message: '{body}',
    },
  ],
  identity: {
    key: [['json:id']],
    type: ['json:type'],
    time: { from: 'json:happened_at', unit: 'iso8601' },
    ordering: 'json:workflow.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['circleci-signature'],
  keepHeaders: ['circleci-event-type'],
  retries: 'Not certain: deliveries that fail may be repeated, with the same id.',
  setup:
    'Project settings, Webhooks, Add webhook: this URL, a secret token of your own making, which is the secret of the source, and the events.',
};
