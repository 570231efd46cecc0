import type { ProviderSpec } from 'holdfast';

export const adyen: ProviderSpec = {
  id: 'adyen',
  title: 'Adyen standard webhooks',
  docs: 'https://docs.adyen.com/development-resources/webhooks/handle-webhook-events',
  checkedOn: '2026-11-22',
  unconfirmed: ['That pspReference, eventCode and success together tell events apart.'],
  strength: 'signed',
  verify: [
    {
      id: 'adyen',
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
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: [],
  retries:
    'Three quick attempts (9, 18 and 27 seconds), then a queue per endpoint: after 2, 5, 10, 15 and 30 minutes, 1, 2, 4 and 8 hours, and so on for up to 30 days. The queue holds back later events.',
  setup:
    'Customer Area, Developers, Webhooks, Standard webhook: this URL; generate the HMAC key (hex) and use it as the secret. The signature covers the payment fields of each item, not the whole body. A new key takes a while to spread: keep the old one as the previous secret.',
};
