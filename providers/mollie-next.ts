import type { ProviderSpec } from 'holdfast';

export const mollieNext: ProviderSpec = {
  id: 'mollie-next',
  title: 'Mollie (next-gen webhooks)',
  docs: 'https://docs.mollie.com/reference/webhooks-new',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries and deadline (those of classic webhooks)'],
  verify: [
    {
      id: 'mollie',
      alg: 'hmac-sha256',
      // For a day after a secret was rotated the header comes twice, once for each secret.
      sig: { from: 'header:x-mollie-signature', parse: { item: ',', prefix: 'sha256=', prefixOptional: true } },
      encoding: 'hex',
      message: '{body}',
    },
  ],
  identity: {
    key: [['json:id']],
    type: ['json:type'],
    time: { from: 'json:createdAt', unit: 'iso8601' },
    ordering: 'json:entityId',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 15_000 },
  retries: 'Ten over 26 hours.',
  setup:
    'Mollie dashboard, Developers, Webhooks (or the Webhooks API): this URL and the event types; the signing secret is shown once.',
};
