import type { ProviderSpec } from 'holdfast';

export const mailgun: ProviderSpec = {
  id: 'mailgun',
  title: 'Mailgun',
  docs: 'https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhooks',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'new time and token on retries', 'deadline'],
  strength: 'origin',
  verify: [
    {
      id: 'mailgun',
      alg: 'hmac-sha256',
      sig: { from: 'json:signature.signature' },
      encoding: 'hex',
      message: '{ts}{json:signature.token}',
      time: { from: 'json:signature.timestamp', unit: 's', past: 86_400, future: 86_400, signed: true },
    },
    {
      id: 'mailgun-form',
      alg: 'hmac-sha256',
      sig: { from: 'form:signature' },
      encoding: 'hex',
      message: '{ts}{form:token}',
      time: { from: 'form:timestamp', unit: 's', past: 86_400, future: 86_400, signed: true },
    },
  ],
  identity: {
    key: [['json:event-data.id'], ['form:token']],
    type: ['json:event-data.event', 'form:event'],
    time: { from: 'json:event-data.timestamp', unit: 's' },
    ordering: 'json:event-data.message.headers.message-id',
  },
  // 406 would stop the retries, also those of a request refused only because a secret was rotated.
  retries: 'After 5, 10 and 15 minutes, 1, 2 and 4 hours (about eight hours). 406 stops them.',
  setup:
    'Mailgun, Sending, Webhooks: this URL per event type. The secret is the HTTP webhook signing key (API security). A time and a token are signed, not the event: a captured request can carry another event for a day.',
};
