import type { ProviderSpec } from 'holdfast';

export const pubsub: ProviderSpec = {
  id: 'pubsub',
  title: 'Google Cloud Pub/Sub push',
  docs: 'https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'which statuses acknowledge (102, 200, 201, 202, 204)'],
  verify: [
    {
      id: 'gcp-pubsub',
      alg: 'jwt',
      sig: { from: 'header:authorization', parse: { prefix: 'Bearer ' } },
      jwtAlg: 'RS256',
      key: {
        provider: 'jwksUrl',
        from: 'https://www.googleapis.com/oauth2/v3/certs',
        hosts: '^www\\.googleapis\\.com$',
        paths: '^/oauth2/v3/certs$',
      },
      claims: {
        iss: 'https://accounts.google.com',
        aud: 'config:audience',
        email: 'config:serviceAccount',
        email_verified: 'true',
      },
      leewaySeconds: 60,
    },
  ],
  identity: {
    key: [
      // Each subscription gets the message: to the same URL, they may mean different things by it.
      ['json:message.messageId', 'json:subscription?'],
      ['json:message.message_id', 'json:subscription?'],
    ],
    type: [
      'json:message.attributes.eventType',
      'json:message.attributes.type',
      'json:message.attributes.ce-type',
      'json:subscription',
    ],
    time: { from: 'json:message.publishTime', unit: 'iso8601' },
    ordering: 'json:message.orderingKey',
  },
  ack: { status: 204, body: '', rejectStatus: 401, deadlineMs: 10_000 },
  settings: {
    audience: "The subscription's audience (by default its URL)",
    serviceAccount: 'E-mail address of its service account',
  },
  retries:
    "Until acknowledged or the messages run out (seven days by default), by the subscription's back-off and dead-letter topic. Its acknowledgement deadline is 10 to 600 seconds.",
  setup:
    'Create the push subscription with this URL, enable authentication, choose a service account and an audience. There is no secret. Until the token expires (one hour), a captured one can carry another body.',
};
