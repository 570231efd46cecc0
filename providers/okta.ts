import type { ProviderSpec } from 'holdfast';

export const okta: ProviderSpec = {
  id: 'okta',
  title: 'Okta event hooks',
  docs: 'https://developer.okta.com/docs/concepts/event-hooks/',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries', 'deadline'],
  verify: [{ alg: 'token', sig: { from: 'header:authorization' } }],
  identity: {
    items: 'data.events[]',
    key: [['json:uuid']],
    type: ['json:eventType'],
    time: { from: 'json:published', unit: 'iso8601' },
    ordering: 'json:actor.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 3_000 },
  handshakes: [
    {
      when: { method: 'GET', header: { 'x-okta-verification-challenge': '*' } },
      verify: 'none',
      guard: { src: 'header:x-okta-verification-challenge', accept: '^[A-Za-z0-9 _.~+/=-]{1,256}$' },
      respond: {
        status: 200,
        contentType: 'application/json',
        body: '{"verification":{json(header:x-okta-verification-challenge)}}',
        elseStatus: 400,
      },
    },
  ],
  retries: "One. Undelivered events stay in Okta's System Log.",
  setup:
    'Okta Admin Console, Workflow, Event Hooks: this URL, authentication field Authorization, and an authentication secret you choose, which is the secret (with its scheme, if any). Press Verify.',
};
