import type { ProviderSpec } from 'holdfast';

export const revolut: ProviderSpec = {
  id: 'revolut',
  title: 'Revolut (Business and Merchant)',
  docs: 'https://developer.revolut.com/docs/guides/merchant/monitor-and-observe/webhooks/verify-the-payload-signature',
  checkedOn: '2026-11-27',
  source: "Revolut's example of a signed payload, as four receivers repeat it. Retries: Hookdeck's description.",
  unconfirmed: ['new time on retries', 'deadline'],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:revolut-signature', parse: { item: ',', prefix: 'v1=' } },
      encoding: 'hex',
      message: 'v1.{ts}.{body}',
      // As long as the retries (30 minutes): whether they are signed anew is not documented.
      time: { from: 'header:revolut-request-timestamp', unit: 'ms', past: 2_400, future: 300, signed: true },
    },
  ],
  identity: {
    key: [
      ['json:event', 'json:timestamp', 'json:data.id', 'json:data.new_state?'],
      // An order's events have neither id nor time, and a payment of one order may be declined twice.
      ['none'],
    ],
    type: ['json:event'],
    time: { from: 'json:timestamp', unit: 'iso8601' },
    ordering: ['json:data.id', 'json:order_id'],
  },
  retries: 'Three, ten minutes apart, after anything but 2xx.',
  setup:
    'Create the webhook through the Merchant or the Business API with this URL and the events. The secret is its signing_secret (wsk_…). Order events only name the order: read it through the API.',
};
