import type { ProviderSpec } from 'holdfast';

export const zendesk: ProviderSpec = {
  id: 'zendesk',
  title: 'Zendesk',
  docs: 'https://developer.zendesk.com/documentation/webhooks/verifying/',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'new time on retries', 'deadline'],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:x-zendesk-webhook-signature' },
      encoding: 'base64',
      message: '{ts}{body}',
      time: {
        from: 'header:x-zendesk-webhook-signature-timestamp',
        unit: 'iso8601',
        past: 900,
        future: 300,
        signed: true,
      },
    },
  ],
  identity: {
    key: [['json:id', 'json:type', 'json:time'], ['header:x-zendesk-webhook-invocation-id'], ['hash:body']],
    type: ['json:type'],
    time: { from: 'json:time', unit: 'iso8601' },
    ordering: 'json:detail.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 12_000 },
  keepHeaders: ['x-zendesk-webhook-id', 'x-zendesk-account-id'],
  retries:
    'Up to three after 409, five after a timeout, and after 429 or 503 with a short Retry-After; a circuit breaker pauses a failing webhook for seconds.',
  setup:
    'Zendesk Admin Center, Apps and integrations, Webhooks: this URL, method POST, format JSON; then Reveal secret on its page. Events have id and time; requests of triggers and automations only what you put into their body.',
};
