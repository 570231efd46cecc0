import type { ProviderSpec } from 'holdfast';

export const livekit: ProviderSpec = {
  id: 'livekit',
  title: 'LiveKit',
  docs: 'https://github.com/livekit/protocol/blob/main/webhook/url_notifier.go',
  checkedOn: '2026-11-27',
  source:
    "livekit/protocol, webhook/url_notifier.go and protobufs/livekit_webhook.proto, and livekit/node-sdks, WebhookReceiver.ts (LiveKit's own sender and library): a token for five minutes with the hash of the body; the id and the time of an event.",
  unconfirmed: ['The deadline of an answer.'],
  strength: 'signed',
  verify: [
    {
      id: 'livekit',
      alg: 'jwt',
      jwtAlg: 'HS256',
      sig: { from: 'header:authorization', parse: { prefix: 'Bearer ', prefixOptional: true } },
      claims: { iss: 'config:apiKey' },
      bind: [{ equals: 'claim:sha256', hash: 'sha256', encoding: 'base64' }],
    },
  ],
  identity: {
    key: [['json:id']],
    type: ['json:event'],
    time: { from: 'json:createdAt', unit: 's' },
    ordering: ['json:room.sid', 'json:egressInfo.egressId', 'json:ingressInfo.ingressId'],
  },
  types: { character: '[a-z_]', example: 'participant_joined' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['authorization'],
  settings: { apiKey: 'the API key whose secret signs, as it was chosen for the webhook' },
  retries:
    'A few times with growing waits, with the first token; events are dropped where the queue of the sender is full.',
  setup:
    'Settings of the project on LiveKit Cloud, or configuration of your own server: this URL as a webhook, and the API key that signs. The API secret of that key is the secret of the source, the key itself its setting apiKey.',
};
