import type { ProviderSpec } from 'holdfast';

export const azureDevops: ProviderSpec = {
  id: 'azure-devops',
  title: 'Azure DevOps service hooks',
  docs: 'https://learn.microsoft.com/azure/devops/service-hooks/services/webhooks',
  checkedOn: '2026-11-23',
  source: 'MicrosoftDocs/azure-devops-docs, docs/service-hooks/services/webhooks.md and events.md.',
  unconfirmed: ['same id on retries', 'retries', 'deadline'],
  verify: [{ alg: 'basic', sig: { from: 'header:authorization' } }],
  identity: {
    // Each subscription of an event is a notification of its own.
    key: [['json:subscriptionId', 'json:id']],
    type: ['json:eventType'],
    time: { from: 'json:createdDate', unit: 'iso8601' },
    ordering: 'json:resource.id',
  },
  retries:
    'Several with growing waits after transient failures; a subscription that keeps failing goes on probation, then is disabled.',
  setup:
    'Project settings, Service hooks, Web Hooks: this URL and, under Basic authentication, a user and password you choose. The secret is user:password.',
};
