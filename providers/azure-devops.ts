import type { ProviderSpec } from 'holdfast';

export const azureDevops: ProviderSpec = {
  id: 'azure-devops',
  title: 'Azure DevOps service hooks',
  docs: 'https://learn.microsoft.com/azure/devops/service-hooks/services/webhooks',
  checkedOn: '2026-11-23',
  source:
    "MicrosoftDocs/azure-devops-docs, docs/service-hooks/services/webhooks.md and events.md (Microsoft's own documentation): basic authentication, and the members of an event.",
  unconfirmed: ['That id stays the same when an event is sent again.', 'Retries and the deadline of an answer.'],
  strength: 'shared-secret',
  verify: [{ id: 'azure-devops', alg: 'basic', sig: { from: 'header:authorization' } }],
  identity: {
    // Each subscription of an event is a notification of its own.
    key: [['json:subscriptionId', 'json:id']],
    type: ['json:eventType'],
    time: { from: 'json:createdDate', unit: 'iso8601' },
    ordering: 'json:resource.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['authorization'],
  retries:
    'Several times with growing waits after a transient failure; a subscription that keeps failing is put on probation and then disabled.',
  setup:
    'Project settings, Service hooks, Web Hooks: this URL and, under Basic authentication, a user name and password of your own making. The secret of the source is user:password.',
};
