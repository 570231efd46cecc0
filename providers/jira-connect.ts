import type { ProviderSpec } from 'holdfast';

export const jiraConnect: ProviderSpec = {
  id: 'jira-connect',
  title: 'Jira Connect apps',
  docs: 'https://developer.atlassian.com/cloud/jira/platform/understanding-jwt-for-connect-apps/',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries'],
  verify: [
    {
      alg: 'jwt',
      sig: { from: ['header:authorization', 'query:jwt'], parse: { prefix: 'JWT ', prefixOptional: true } },
      jwtAlg: 'HS256',
      url: { base: 'configured' },
      claims: { iss: 'config:clientKey' },
      leewaySeconds: 60,
      code: 'jira-connect',
    },
  ],
  identity: {
    key: [
      ['header:x-atlassian-webhook-identifier'],
      ['json:webhookEvent', 'json:timestamp', 'hash:body'],
      ['hash:body'],
    ],
    type: ['json:webhookEvent'],
    time: { from: 'json:timestamp', unit: 'ms' },
    ordering: 'json:issue.id',
  },
  keepHeaders: ['x-atlassian-webhook-retry'],
  settings: {
    clientKey: 'The clientKey in the installed callback',
    baseUrl: "The app descriptor's baseUrl: the signed path starts after it",
  },
  retries: 'Up to five, as for Jira Cloud.',
  setup:
    "The secret is the sharedSecret in your app's installed callback for one site; one source per installation. The installed callback itself is signed with another key and not covered. Atlassian is ending Connect: plan the move to Forge.",
};
