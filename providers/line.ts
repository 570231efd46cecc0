import type { ProviderSpec } from 'holdfast';

export const line: ProviderSpec = {
  id: 'line',
  title: 'LINE Messaging API',
  docs: 'https://developers.line.biz/en/reference/messaging-api/#webhooks',
  checkedOn: '2026-11-23',
  source:
    "developers.line.biz, docs/messaging-api/receiving-messages (LINE's own documentation): an HMAC-SHA256 of the body in base64; webhookEventId and deliveryContext are common to all events.",
  unconfirmed: ['How often and for how long an event is sent again.', 'The deadline of an answer.'],
  strength: 'signed',
  verify: [
    { id: 'line', alg: 'hmac-sha256', sig: { from: 'header:x-line-signature' }, encoding: 'base64', message: '{body}' },
  ],
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
  methods: ['POST'],
  signatureHeaders: ['x-line-signature'],
  retries: 'Several times when redelivery is switched on for the channel, else none. webhookEventId stays the same.',
  setup:
    'LINE Developers Console, the channel, Messaging API: this URL (Verify sends an empty list), Use webhook and Webhook redelivery on. The secret of the source is the channel secret.',
};
