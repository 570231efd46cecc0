import type { ProviderSpec } from 'holdfast';

export const launchdarkly: ProviderSpec = {
  id: 'launchdarkly',
  title: 'LaunchDarkly',
  docs: 'https://launchdarkly.com/docs/home/infrastructure/webhooks',
  checkedOn: '2026-11-27',
  source:
    "An OpenAPI description of LaunchDarkly's webhooks, Sentry's integration and four independent receivers agree on an HMAC-SHA256 of the body in hex. The fields of an event: the samples of Sentry's tests.",
  unconfirmed: ['Retries and the deadline of an answer.', 'Which fields identify, name and date an event.'],
  strength: 'signed',
  verify: [
    {
      id: 'launchdarkly',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-ld-signature' },
      encoding: 'hex',
      message: '{body}',
    },
  ],
  identity: {
    // An entry of the audit log.
    key: [['json:_id']],
    type: ['json:kind', 'json:accesses.0.action'],
    typeJoin: '.',
    time: { from: 'json:date', unit: 'ms' },
    ordering: 'json:target._links.canonical.href',
  },
  types: { character: '[A-Za-z.-]', example: 'flag.updateOn' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['x-ld-signature'],
  retries: 'Not confirmed.',
  setup:
    'LaunchDarkly, create a webhook with this URL and have it signed: its secret is the secret of the source. Leave the default payload: the fields above are those of an entry of the audit log.',
};
