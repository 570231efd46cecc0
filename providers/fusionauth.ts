import type { ProviderSpec } from 'holdfast';

export const fusionauth: ProviderSpec = {
  id: 'fusionauth',
  title: 'FusionAuth',
  docs: 'https://fusionauth.io/docs/extend/events-and-webhooks/signing',
  checkedOn: '2026-11-23',
  source:
    "fusionauth.io/docs, extend/events-and-webhooks/signing (FusionAuth's own documentation): the header, request_body_sha256, keys of three kinds, of which this file takes HMAC. That the hash is in base64: three independent receivers agree.",
  unconfirmed: ['Which fields identify, name and date an event.', 'Retries and the deadline of an answer.'],
  strength: 'signed',
  verify: [
    {
      id: 'fusionauth',
      alg: 'jwt',
      sig: { from: 'header:x-fusionauth-signature-jwt' },
      jwtAlg: 'HS256',
      bind: [{ equals: 'claim:request_body_sha256', hash: 'sha256', encoding: 'base64' }],
      timeless: true,
    },
  ],
  identity: {
    key: [['json:event.id']],
    type: ['json:event.type'],
    time: { from: 'json:event.createInstant', unit: 'ms' },
    ordering: 'json:event.user.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['x-fusionauth-signature-jwt'],
  retries: 'None by default: the transaction setting of the event decides whether a failure stops what caused it.',
  setup:
    'FusionAuth, Settings, Webhooks, Add: this URL; Security: Sign events with an HMAC key (SHA-256) of the Key Master. Its secret is the secret of the source.',
};
