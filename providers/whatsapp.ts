import type { ProviderSpec } from 'holdfast';

export const whatsapp: ProviderSpec = {
  id: 'whatsapp',
  title: 'WhatsApp Business Platform',
  docs: 'https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries', 'deadline'],
  strength: 'signed',
  verify: [
    {
      id: 'meta',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-hub-signature-256', parse: { prefix: 'sha256=' } },
      encoding: 'hex',
      message: '{body}',
    },
  ],
  identity: {
    items: 'entry[].changes[]',
    // Several messages in one change may be grouped anew when repeated: then only an identical request counts as one.
    key: [
      ['json:value.messages.1.id', 'hash:body'],
      ['json:value.statuses.1.id', 'hash:body'],
      ['json:value.messages.0.id'],
      // One order has several attempts to pay it, each with a transaction of its own.
      [
        'json:value.statuses.0.id',
        'json:value.statuses.0.status',
        'json:value.statuses.0.recipient_id?',
        'json:value.statuses.0.payment.transaction.id?',
        'json:value.statuses.0.payment.transaction.status?',
      ],
      ['none'],
    ],
    type: ['json:field'],
    time: { from: 'json:value.messages.0.timestamp', unit: 's' },
    ordering: 'json:value.metadata.phone_number_id',
  },
  ack: { status: 200, contentType: 'text/plain', body: 'EVENT_RECEIVED', rejectStatus: 401, deadlineMs: 5_000 },
  handshakes: [
    {
      when: { method: 'GET', query: { 'hub.mode': 'subscribe', 'hub.verify_token': '*', 'hub.challenge': '*' } },
      verify: { tokenEquals: 'query:hub.verify_token', token: 'config:verifyToken' },
      guard: { src: 'query:hub.challenge', accept: '^[A-Za-z0-9_.-]{1,256}$' },
      respond: { status: 200, contentType: 'text/plain', body: '{echo(query:hub.challenge)}', elseStatus: 403 },
    },
  ],
  methods: ['POST', 'GET'],
  signatureHeaders: ['x-hub-signature-256', 'x-hub-signature'],
  settings: {
    verifyToken: 'The verify token of the App Dashboard: any text, not the app secret',
  },
  retries: 'Ever less often for up to seven days.',
  setup:
    'Meta for Developers, the app, WhatsApp, Configuration: this URL and the verify token, then subscribe to messages. The secret is the App Secret (App settings, Basic).',
};
