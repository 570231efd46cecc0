import type { ProviderSpec } from 'holdfast';

export const circleci: ProviderSpec = {
  id: 'circleci',
  title: 'CircleCI',
  docs: 'https://circleci.com/docs/webhooks/',
  checkedOn: '2026-11-22',
  source:
    'Three independent receivers agree (an HMAC-SHA256 of the body in hex, after v1=), among them a tutorial of CircleCI; not read in its documentation.',
  unconfirmed: [
    'Everything but the form of the signature: it was written without the documentation of the provider at hand.',
    'Retries and the deadline of an answer.',
  ],
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
