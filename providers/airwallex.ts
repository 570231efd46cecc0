import type { ProviderSpec } from 'holdfast';

export const airwallex: ProviderSpec = {
  id: 'airwallex',
  title: 'Airwallex',
  docs: 'https://www.airwallex.com/docs/developer-tools/webhooks/webhooks-overview',
  checkedOn: '2026-11-27',
  source: 'airwallex.com/docs, listen for webhook events, with its code.',
  unconfirmed: ['new time on retries (four days are allowed)', 'deadline', 'fields that name, date and order'],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:x-signature' },
      encoding: 'hex',
      message: '{ts}{body}',
      // Longer than the retries. Without a window, digits could move from the time to the body: nothing parts them.
      time: { from: 'header:x-timestamp', unit: 'ms', past: 345_600, future: 300, signed: true },
    },
  ],
  identity: {
    key: [['json:id']],
    type: ['json:name'],
    time: { from: 'json:created_at', unit: 'iso8601' },
    ordering: 'json:data.object.id',
  },
  retries: 'After anything but 200, for about three days with growing waits; the event id stays.',
  setup: 'Airwallex web app, Developer, Webhooks, New webhook: this URL and the events. The webhook shows its secret.',
};
