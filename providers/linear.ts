import type { ProviderSpec } from 'holdfast';

export const linear: ProviderSpec = {
  id: 'linear',
  title: 'Linear',
  docs: 'https://linear.app/developers/webhooks',
  checkedOn: '2026-11-22',
  unconfirmed: ['event fields'],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:linear-signature' },
      encoding: 'hex',
      message: '{body}',
      // The field in the signed body, not the header of the same name, which is not signed.
      time: { from: 'json:webhookTimestamp', unit: 'ms', past: 60, future: 60, signed: true },
    },
  ],
  identity: {
    key: [['header:linear-delivery']],
    type: ['json:type', 'json:action'],
    typeJoin: '.',
    time: { from: 'json:createdAt', unit: 'iso8601' },
    ordering: 'json:data.id',
    // webhookTimestamp is the time of the delivery.
    unstableBody: true,
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  keepHeaders: ['linear-event'],
  retries: 'Three: after one minute, one hour and six hours; then the webhook may be disabled.',
  setup:
    "Linear, Settings, API, Webhooks (or the OAuth application): this URL and the resources; the webhook's page shows the signing secret.",
};
