import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const line: ProviderSpec = {
  id: 'line',
  title: 'LINE Messaging API',
  docs: 'https://developers.line.biz/en/reference/messaging-api/#webhooks',
  checkedOn: '2026-11-23',
  source: 'developers.line.biz, docs/messaging-api/receiving-messages.',
  unconfirmed: ['number of retries', 'deadline'],
  verify: [bodyHmac('x-line-signature', 'base64')],
  identity: {
    items: 'events[]',
    key: [['json:webhookEventId']],
    type: ['json:type'],
    time: { from: 'json:timestamp', unit: 'ms' },
    ordering: 'json:source.userId',
    // deliveryContext.isRedelivery tells a repetition.
    unstableBody: true,
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 2_000 },
  handshakes: [
    {
      when: { method: 'POST', emptyJsonArrayAt: 'events' },
      verify: 'signature',
      respond: { status: 200, contentType: 'text/plain', body: '', elseStatus: 401 },
    },
  ],
  retries: 'Several if the channel has redelivery on, else none. webhookEventId stays.',
  setup:
    'LINE Developers Console, the channel, Messaging API: this URL (Verify sends an empty list), Use webhook and Webhook redelivery on. The secret is the channel secret.',
};
