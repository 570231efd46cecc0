import type { ProviderSpec } from 'holdfast';

export const greenhouse: ProviderSpec = {
  id: 'greenhouse',
  title: 'Greenhouse Recruiting',
  docs: 'https://github.com/grnhse/greenhouse-api-docs/blob/master/source/includes/webhooks/_introduction.md',
  checkedOn: '2026-11-27',
  source:
    "grnhse/greenhouse-api-docs, source/includes/webhooks/_introduction.md (Greenhouse's own documentation): the header, only 200 counts, six retries over 15 hours.",
  unconfirmed: [
    'Whether Greenhouse-Event-ID, the id of a delivery, stays the same when it is repeated: the body tells events apart.',
    'The deadline of an answer.',
  ],
  strength: 'signed',
  verify: [
    {
      id: 'greenhouse',
      alg: 'hmac-sha256',
      sig: { from: 'header:signature', parse: { prefix: 'sha256 ' } },
      encoding: 'hex',
      message: '{body}',
    },
  ],
  identity: { key: [['hash:body']], type: ['json:action'], ordering: 'json:payload.application.id' },
  types: { character: '[a-z_]', example: 'hire_candidate' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['signature'],
  keepHeaders: ['greenhouse-event-id'],
  retries: 'Six times: after 1, 15, 60, 120, 240 and 480 minutes.',
  setup:
    'Greenhouse, create a web hook with this URL and a secret key of your own making, which is the secret of the source. Greenhouse pings the URL when it is saved, and creates the web hook disabled if that fails.',
};
