import type { ProviderSpec } from 'holdfast';

export const front: ProviderSpec = {
  id: 'front',
  title: 'Front application webhooks',
  docs: 'https://dev.frontapp.com/docs/application-webhooks',
  checkedOn: '2026-11-27',
  source:
    "dev.frontapp.com, application-webhooks and security-1. Base64, retries and event id: three receivers and Front's API description.",
  unconfirmed: ['new time on retries', 'retries', 'fields that identify and date'],
  verify: [
    {
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
  retries: 'Up to three.',
  setup:
    "Front, Settings, Developers, the app, Features, Webhooks: this URL, checked when saved, and the events. The app's signing key is the secret. Rule webhooks are signed otherwise (SHA-1 of the body with the API secret).",
};
