import type { ProviderSpec } from 'holdfast';

export const cloudevents: ProviderSpec = {
  id: 'cloudevents',
  title: 'CloudEvents (HTTP webhook)',
  docs: 'https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md',
  checkedOn: '2026-11-21',
  verify: [
    { id: 'cloudevents-bearer', alg: 'token', sig: { from: 'header:authorization', parse: { prefix: 'Bearer ' } } },
    { id: 'cloudevents-query', alg: 'token', sig: { from: 'query:access_token' } },
  ],
  identity: {
    // The batched mode (application/cloudevents-batch+json) is an array of events.
    items: '[]',
    itemsUnless: 'header:ce-id',
    key: [
      ['header:ce-source', 'header:ce-id'],
      ['json:source', 'json:id'],
    ],
    type: ['header:ce-type', 'json:type'],
    time: [
      { from: 'header:ce-time', unit: 'iso8601' },
      { from: 'json:time', unit: 'iso8601' },
    ],
    ordering: ['header:ce-subject', 'json:subject'],
  },
  // The specification wants 202 for what is accepted but not processed yet.
  ack: { status: 202, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [
    {
      when: { method: 'OPTIONS', header: { 'webhook-request-origin': '*', 'webhook-request-rate': '*' } },
      verify: 'none',
      guard: { src: 'header:webhook-request-origin', accept: '^[A-Za-z0-9.-]{1,253}$' },
      respond: {
        status: 200,
        headers: {
          'webhook-allowed-origin': '{echo(header:webhook-request-origin)}',
          'webhook-allowed-rate': '{echo(header:webhook-request-rate)}',
          allow: 'POST',
        },
        elseStatus: 405,
      },
    },
    {
      when: { method: 'OPTIONS', header: { 'webhook-request-origin': '*' } },
      verify: 'none',
      guard: { src: 'header:webhook-request-origin', accept: '^[A-Za-z0-9.-]{1,253}$' },
      respond: {
        status: 200,
        headers: {
          'webhook-allowed-origin': '{echo(header:webhook-request-origin)}',
          'webhook-allowed-rate': '120',
          allow: 'POST',
        },
        elseStatus: 405,
      },
    },
  ],
  keepHeaders: ['ce-subject', 'ce-specversion', 'ce-dataschema', 'webhook-request-origin'],
  retries: 'Up to the sender (Azure Event Grid: 24 hours). 410 stops it, 429 with Retry-After slows it down.',
  setup:
    'For Azure Event Grid (schema CloudEvents 1.0), Knative and others. Give the sender a random token: as Authorization: Bearer, or where it cannot, as access_token in the URL (URLs end up in logs).',
};
