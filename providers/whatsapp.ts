import type { ProviderSpec } from 'holdfast';
import { meta } from './meta.ts';

export const whatsapp: ProviderSpec = {
  ...meta,
  id: 'whatsapp',
  title: 'WhatsApp Business Platform',
  docs: 'https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview',
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
  retries: 'Ever less often for up to seven days.',
  setup:
    'Meta for Developers, the app, WhatsApp, Configuration: this URL and the verify token, then subscribe to messages. The secret is the App Secret (App settings, Basic).',
};
