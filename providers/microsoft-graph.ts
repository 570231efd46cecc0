import type { ProviderSpec } from 'holdfast';

export const microsoftGraph: ProviderSpec = {
  id: 'microsoft-graph',
  title: 'Microsoft Graph change notifications',
  docs: 'https://learn.microsoft.com/en-us/graph/change-notifications-delivery-webhooks',
  checkedOn: '2026-11-21',
  unconfirmed: ['whether notifications of every resource have id'],
  verify: [{ alg: 'token', batch: 'value[]', sig: { from: 'json:clientState' } }],
  identity: {
    items: 'value[]',
    key: [['json:id'], ['none']],
    type: ['json:changeType', 'json:lifecycleEvent'],
    ordering: 'json:resource',
  },
  ack: { status: 202, rejectStatus: 401, deadlineMs: 3_000 },
  handshakes: [
    {
      when: { method: 'POST', query: { validationToken: '*' } },
      verify: 'none',
      guard: { src: 'query:validationToken', accept: '^[A-Za-z0-9 :_.~+/=-]{1,1024}$' },
      respond: { status: 200, contentType: 'text/plain', body: '{echo(query:validationToken)}', elseStatus: 400 },
    },
  ],
  retries: 'For up to four hours. Endpoints with over a tenth of answers later than 2.9 seconds are throttled.',
  setup:
    'POST /subscriptions with this URL as notificationUrl (and lifecycleNotificationUrl) and a random clientState of at most 128 characters, which is the secret. Renew it within days. validationTokens of resource data are not checked: decrypting proves the origin.',
};
