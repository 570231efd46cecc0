import type { ProviderSpec } from 'holdfast';

export const braintree: ProviderSpec = {
  id: 'braintree',
  title: 'Braintree',
  docs: 'https://developer.paypal.com/braintree/docs/guides/webhooks/overview',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries (in the sandbox for three hours)', 'deadline'],
  verify: [
    {
      alg: 'hmac-sha1',
      sig: { from: 'form:bt_signature', parse: { item: '&', kv: '|', key: 'config:publicKey' } },
      encoding: 'hex',
      key: { hash: 'sha1' },
      message: '{form:bt_payload}',
      // The challenge below is answered with the same key: a payload that looks like one is refused.
      guard: { rejectMessage: '^[a-f0-9]{20,32}$' },
    },
  ],
  identity: {
    document: { from: 'form:bt_payload', encoding: 'base64', format: 'xml' },
    key: [
      ['doc:notification.kind', 'doc:notification.timestamp', 'doc:notification.subject.*.id'],
      ['form:bt_payload'],
    ],
    type: ['doc:notification.kind'],
    time: { from: 'doc:notification.timestamp', unit: 'iso8601' },
    ordering: 'doc:notification.subject.*.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 30_000 },
  handshakes: [
    {
      when: { method: 'GET', query: { bt_challenge: '*' } },
      verify: 'none',
      guard: { src: 'query:bt_challenge', accept: '^[a-f0-9]{20,32}$' },
      respond: {
        status: 200,
        contentType: 'text/plain',
        body: '{echo(config:publicKey)}|{hmac(sha1,hex,query:bt_challenge)}',
        elseStatus: 403,
      },
    },
  ],
  settings: { publicKey: 'Public API key of that private key' },
  retries: 'Every hour for 24 hours.',
  setup:
    'Braintree control panel, API, Webhooks: create a webhook with this URL; Braintree first calls with a challenge. The secret is the private API key. The event is XML in base64 in the form field bt_payload.',
};
