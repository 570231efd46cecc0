import type { ProviderSpec } from 'holdfast';

export const monday: ProviderSpec = {
  id: 'monday',
  title: 'monday.com (apps)',
  docs: 'https://developer.monday.com/api-reference/reference/webhooks',
  checkedOn: '2026-11-21',
  unconfirmed: [
    'event fields',
    "whether every kind of subscription names the webhook's URL in its token (`aud`)",
    'deadline',
  ],
  verify: [
    {
      alg: 'jwt',
      sig: { from: 'header:authorization', parse: { prefix: 'Bearer ', prefixOptional: true } },
      jwtAlg: 'HS256',
      claims: { aud: 'config:url' },
      leewaySeconds: 60,
    },
  ],
  identity: {
    key: [['json:event.triggerUuid'], ['hash:body']],
    type: ['json:event.type', 'json:type'],
    time: { from: 'json:event.triggerTime', unit: 'iso8601' },
    ordering: 'json:event.pulseId',
  },
  handshakes: [
    {
      when: { method: 'POST', jsonKeysExactly: ['challenge'] },
      verify: 'none',
      guard: { src: 'json:challenge', accept: '^[A-Za-z0-9_.~+/=-]{1,256}$' },
      respond: {
        status: 200,
        contentType: 'application/json',
        body: '{"challenge":{json(json:challenge)}}',
        elseStatus: 400,
      },
    },
  ],
  settings: { url: 'The URL exactly as entered in monday.com' },
  retries: 'Once a minute for 30 minutes.',
  setup:
    "Create the webhook with an app's token (webhooks made by hand on a board have no authorization and are refused). The secret is the app's Signing Secret.",
};
