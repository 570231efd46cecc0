import type { ProviderSpec } from 'holdfast';

export const heroku: ProviderSpec = {
  id: 'heroku',
  title: 'Heroku app webhooks',
  docs: 'https://devcenter.heroku.com/articles/app-webhooks#securing-webhook-requests',
  checkedOn: '2026-11-27',
  source:
    "Sentry's release integration and three independent receivers agree on an HMAC-SHA256 of the body in base64. Retries by level: the schema of Heroku's own API, as a client generated from it has it.",
  unconfirmed: ['How often it tries again, and the deadline of an answer.', 'Which fields identify and date an event.'],
  strength: 'signed',
  verify: [
    {
      id: 'heroku',
      alg: 'hmac-sha256',
      sig: { from: 'header:heroku-webhook-hmac-sha256' },
      encoding: 'base64',
      message: '{body}',
    },
  ],
  identity: {
    key: [['json:webhook_metadata.event.id']],
    type: ['json:resource', 'json:action'],
    typeJoin: '.',
    time: { from: 'json:published_at', unit: 'iso8601' },
    ordering: 'json:data.id',
    // The attempt is numbered in the body.
    unstableBody: true,
  },
  types: { character: '[a-z_.-]', example: 'release.update' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['heroku-webhook-hmac-sha256'],
  retries: 'Level sync: until a good answer or a limit. Level notify: never.',
  setup:
    'Create an app webhook through the API or the command line: the entities, level sync, this URL, and a secret of your own making, which is the secret of the source.',
};
