import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const jira: ProviderSpec = {
  id: 'jira',
  title: 'Jira Cloud',
  docs: 'https://developer.atlassian.com/cloud/jira/platform/webhooks/',
  checkedOn: '2026-11-21',
  unconfirmed: ['deadline'],
  verify: [bodyHmac('x-hub-signature', 'hex', { parse: { prefix: 'sha256=' } })],
  identity: {
    key: [['header:x-atlassian-webhook-identifier']],
    type: ['json:webhookEvent'],
    time: { from: 'json:timestamp', unit: 'ms' },
    ordering: 'json:issue.id',
  },
  keepHeaders: ['x-atlassian-webhook-retry', 'x-atlassian-webhook-flow'],
  retries:
    'Up to five with growing waits; the identifier stays. Bulk changes come in a secondary flow, up to 15 minutes late.',
  setup:
    "Jira administration, System, WebHooks: this URL and a secret. For webhooks that apps make through the REST API: the registration's secret.",
};
