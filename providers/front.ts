import type { ProviderSpec } from 'holdfast';

export const front: ProviderSpec = {
  id: 'front',
  title: 'Front application webhooks',
  docs: 'https://dev.frontapp.com/docs/application-webhooks',
  checkedOn: '2026-11-27',
  source:
    "dev.frontapp.com, application-webhooks and security-1 (Front's own documentation): the headers with milliseconds, five minutes, the challenge. Base64, three retries and the id of an event: three independent receivers and Front's own description of its API.",
  unconfirmed: [
    'That a repeated delivery is signed with a new time.',
    'Three retries.',
    'Which fields identify and date an event.',
  ],
  strength: 'signed',
  verify: [
    {
      id: 'front',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-front-signature' },
      encoding: 'base64',
      message: '{ts}:{body}',
      time: { from: 'header:x-front-request-timestamp', unit: 'ms', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    key: [['json:type', 'json:payload.id', 'json:payload.emitted_at?']],
    type: ['json:type'],
    time: { from: 'json:payload.emitted_at', unit: 's' },
    ordering: 'json:payload.conversation.id',
  },
  types: { character: '[a-z_]', example: 'inbound_received' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  handshakes: [
    {
      when: { method: 'POST', header: { 'x-front-challenge': '*' }, jsonEquals: { type: 'sync' } },
      verify: 'signature',
      guard: { src: 'header:x-front-challenge', accept: '^[A-Za-z0-9_.~+/=-]{1,256}$' },
      respond: {
        status: 200,
        contentType: 'application/json',
        body: '{"challenge":{json(header:x-front-challenge)}}',
        elseStatus: 401,
      },
    },
  ],
  methods: ['POST'],
  signatureHeaders: ['x-front-signature', 'x-front-request-timestamp'],
  retries: 'Up to three times.',
  setup:
    'Front, Settings, Developers, the app, Features, Webhooks: this URL and the events. The signing key of the app is the secret of the source; Front checks the URL when it is saved. Rule webhooks are signed in another way (SHA-1 of the body with the API secret).',
};
