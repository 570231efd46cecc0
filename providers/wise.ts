import type { ProviderSpec } from 'holdfast';

export const wise: ProviderSpec = {
  id: 'wise',
  title: 'Wise',
  docs: 'https://docs.wise.com/api-docs/features/webhooks-notifications',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'number of retries', 'deadline'],
  verify: [
    {
      alg: 'rsa-sha256',
      sig: { from: 'header:x-signature-sha256' },
      encoding: 'base64',
      message: '{body}',
    },
  ],
  identity: {
    key: [
      ['header:x-delivery-id'],
      // sent_at is the time of the delivery, so the body does not do.
      [
        'json:event_type',
        'json:subscription_id',
        'json:data.resource.id',
        'json:data.occurred_at',
        'json:data.current_state?',
      ],
      ['hash:body'],
    ],
    type: ['json:event_type'],
    time: { from: 'json:data.occurred_at', unit: 'iso8601' },
    ordering: 'json:data.resource.id',
    // sent_at is the time of the delivery.
    unstableBody: true,
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  keepHeaders: ['x-test-notification'],
  retries: 'For up to two weeks with growing waits.',
  setup:
    'Wise, Settings, Developer tools, Webhooks (or the API): this URL and the events. The secret is the public key that Wise publishes for the environment (PEM); sandbox and production differ. All customers share it: check the profile in the handler.',
};
