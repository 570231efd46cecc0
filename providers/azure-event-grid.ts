import type { ProviderSpec } from 'holdfast';

export const azureEventGrid: ProviderSpec = {
  id: 'azure-event-grid',
  title: 'Azure Event Grid (schema of Event Grid)',
  docs: 'https://learn.microsoft.com/azure/event-grid/webhook-event-delivery',
  checkedOn: '2026-11-22',
  source: 'MicrosoftDocs/azure-docs, articles/event-grid/delivery-and-retry.md; the handshake: learn.microsoft.com.',
  unconfirmed: [
    'no retries after 400, 401, 403, 404 and 413 (in 2020: after five minutes or more)',
    'that the static header arrives as Authorization',
  ],
  verify: [
    { id: 'azure-event-grid', alg: 'token', sig: { from: 'header:authorization' } },
    { id: 'azure-event-grid-query', alg: 'token', sig: { from: 'query:token' } },
  ],
  identity: {
    items: '[]',
    // The id is that of the publisher: topics may use the same.
    key: [['json:topic?', 'json:id']],
    type: ['json:eventType'],
    time: { from: 'json:eventTime', unit: 'iso8601' },
    ordering: 'json:subject',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 30_000 },
  handshakes: [
    {
      when: { method: 'POST', header: { 'aeg-event-type': 'SubscriptionValidation' } },
      verify: 'signature',
      guard: { src: 'json:0.data.validationCode', accept: '^[A-Za-z0-9-]{1,128}$' },
      respond: {
        status: 200,
        contentType: 'application/json',
        body: '{"validationResponse":{json(json:0.data.validationCode)}}',
        elseStatus: 401,
      },
    },
  ],
  keepHeaders: ['aeg-event-type', 'aeg-subscription-name', 'aeg-delivery-count'],
  retries:
    "For 24 hours with growing waits, then the subscription's dead-letter container. None after 400, 401, 403, 404 and 413.",
  setup:
    'Event subscription, endpoint type Web Hook: this URL. Give it a random token, which is the secret: under Delivery Properties as static header Authorization (secret), or as ?token= in the URL (URLs end up in logs). Schema CloudEvents 1.0: provider cloudevents.',
};
