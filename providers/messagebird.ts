import type { ProviderSpec } from 'holdfast';

export const messagebird: ProviderSpec = {
  id: 'messagebird',
  title: 'Bird (MessageBird)',
  docs: 'https://developers.messagebird.com/api/#verifying-http-requests',
  checkedOn: '2026-11-21',
  unconfirmed: ['retries', 'deadline', 'the place of the event id in every product'],
  strength: 'signed',
  verify: [
    {
      alg: 'jwt',
      sig: { from: 'header:messagebird-signature-jwt' },
      jwtAlg: 'HS256',
      claims: { iss: 'MessageBird' },
      url: { base: 'configured' },
      bind: [
        // A request without a body has no such claim.
        { equals: 'claim:payload_hash', hash: 'sha256', encoding: 'hex', absentWhenEmpty: true },
        { equals: 'claim:url_hash', hash: 'sha256', encoding: 'hex', of: 'url' },
      ],
    },
  ],
  identity: {
    key: [
      // The token and its jti are new each time a report is sent.
      ['query:id', 'query:recipient?', 'query:status?', 'query:statusDatetime?'],
      ['json:type', 'json:message.id', 'json:message.status?', 'json:message.updatedDatetime?'],
      ['hash:body'],
    ],
    type: ['json:type', 'json:event', 'query:status'],
  },
  methods: ['POST', 'GET'],
  retries: 'Not documented for all products; count on several.',
  setup:
    'Dashboard, Developers, API settings: the signing key is the secret. Set this URL, exactly as the source has it, on the number, flow or channel. Status reports come as GET: read header holdfast-query in the handler. The token binds body and URL for about a minute.',
};
