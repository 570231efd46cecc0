import type { ProviderSpec } from 'holdfast';

export const sendgrid: ProviderSpec = {
  id: 'sendgrid',
  title: 'Twilio SendGrid Event Webhook',
  docs: 'https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features',
  checkedOn: '2026-11-21',
  unconfirmed: ['retries', 'new time on retries', 'deadline'],
  verify: [
    {
      alg: 'ecdsa-p256-sha256',
      sig: { from: 'header:x-twilio-email-event-webhook-signature' },
      encoding: 'base64',
      message: '{ts}{body}',
      // As long as the retries: whether they are signed anew is not documented. sg_event_id removes repetitions.
      time: {
        from: 'header:x-twilio-email-event-webhook-timestamp',
        unit: 's',
        past: 90_000,
        future: 300,
        signed: true,
      },
    },
  ],
  identity: {
    items: '[]',
    key: [
      ['json:sg_event_id'],
      [
        'json:sg_message_id',
        'json:event',
        'json:timestamp',
        'json:email?',
        'json:url?',
        'json:url_offset.index?',
        'json:url_offset.type?',
      ],
    ],
    type: ['json:event'],
    time: { from: 'json:timestamp', unit: 's' },
    ordering: 'json:sg_message_id',
  },
  retries: 'For 24 hours.',
  setup:
    'SendGrid, Settings, Mail Settings, Event Webhooks: this URL, then Security features, Signature verification. The public verification key there (base64) is the secret.',
};
