import type { ProviderSpec } from 'holdfast';

export const auth0: ProviderSpec = {
  id: 'auth0',
  title: 'Auth0 log streams',
  docs: 'https://auth0.com/docs/customize/log-streams/custom-log-streams',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'number of retries', 'deadline'],
  verify: [{ id: 'auth0-logs', alg: 'token', sig: { from: 'header:authorization' } }],
  identity: {
    // Content format JSON Lines (the default) or JSON Array.
    document: { from: 'body', format: 'json-lines', asBody: true },
    items: '[]',
    key: [['json:log_id']],
    type: ['json:data.type'],
    time: { from: 'json:data.date', unit: 'iso8601' },
    ordering: 'json:data.user_id',
  },
  retries: 'A few attempts; a stream that keeps failing is paused.',
  setup:
    'Auth0 Dashboard, Monitoring, Streams, Custom Webhook: this URL, application/json, format JSON Lines or JSON Array, and an authorization token you choose: the whole header value is the secret.',
};
