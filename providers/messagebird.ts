import type { ProviderSpec } from 'holdfast';

export const messagebird: ProviderSpec = {
  id: 'messagebird',
  title: 'Bird (MessageBird)',
  docs: 'https://developers.messagebird.com/api/#verifying-http-requests',
  checkedOn: '2026-11-21',
  unconfirmed: ['Retries and deadline.', 'The place of the event id in every product.'],
  strength: 'signed',
  verify: [
    {
      id: 'messagebird',
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
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST', 'GET'],
  signatureHeaders: ['messagebird-signature-jwt'],
  retries: 'Not documented for all products; count on several attempts.',
  setup:
    'Status reports come as GET: the handler finds them in the header holdfast-query. Dashboard, Developers, API settings: the signing key there is the secret. Set this URL on the number, flow or channel. The token binds body and URL by their hashes: the URL of the source must equal the one entered there. It is valid for about a minute.',
};
