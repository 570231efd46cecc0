import type { ProviderSpec } from 'holdfast';

export const adyen: ProviderSpec = {
  id: 'adyen',
  title: 'Adyen standard webhooks',
  docs: 'https://docs.adyen.com/development-resources/webhooks/handle-webhook-events',
  checkedOn: '2026-11-22',
  unconfirmed: ['that pspReference, eventCode and success together tell events apart'],
  verify: [
    {
      alg: 'hmac-sha256',
      batch: 'notificationItems[].NotificationRequestItem',
      sig: { from: 'json:additionalData.hmacSignature' },
      encoding: 'base64',
      key: { encoding: 'hex' },
      message:
        '{json:pspReference?}:{json:originalReference?}:{json:merchantAccountCode?}:{json:merchantReference?}:{json:amount.value?}:{json:amount.currency?}:{json:eventCode?}:{json:success?}',
      separated: { by: ':', except: 'json:merchantReference?' },
    },
  ],
  identity: {
    items: 'notificationItems[].NotificationRequestItem',
    key: [['json:pspReference', 'json:eventCode', 'json:success?']],
    type: ['json:eventCode'],
    time: { from: 'json:eventDate', unit: 'iso8601' },
    ordering: 'json:pspReference',
  },
  // The text keeps integrations happy that were set up when Adyen still demanded it.
  ack: { status: 200, contentType: 'text/plain', body: '[accepted]', rejectStatus: 401, deadlineMs: 10_000 },
  retries:
    'Three quick attempts (9, 18, 27 seconds), then a queue per endpoint, which holds back later events: after 2, 5, 10, 15, 30 minutes, 1, 2, 4, 8 hours and so on for 30 days.',
  setup:
    'Customer Area, Developers, Webhooks, Standard webhook: this URL; generate the HMAC key (hex), which is the secret. It signs the payment fields of each item, not the whole body. New keys spread slowly: keep the old one as the previous secret.',
};
