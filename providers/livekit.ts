import type { ProviderSpec } from 'holdfast';

export const livekit: ProviderSpec = {
  id: 'livekit',
  title: 'LiveKit',
  docs: 'https://github.com/livekit/protocol/blob/main/webhook/url_notifier.go',
  checkedOn: '2026-11-27',
  source:
    'livekit/protocol, webhook/url_notifier.go and protobufs/livekit_webhook.proto; livekit/node-sdks, WebhookReceiver.ts.',
  unconfirmed: ['deadline'],
  strength: 'signed',
  verify: [
    {
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
  settings: { apiKey: 'The API key that signs' },
  retries: 'A few with growing waits, with the first token; a full sending queue drops events.',
  setup:
    "Settings of the LiveKit Cloud project, or your own server's configuration: this URL as a webhook, and the API key that signs. That key's API secret is the secret.",
};
