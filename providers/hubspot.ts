import type { ProviderSpec } from 'holdfast';

export const hubspot: ProviderSpec = {
  id: 'hubspot',
  title: 'HubSpot (signature v3)',
  docs: 'https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries', 'deadline'],
  verify: [
    {
      id: 'hubspot-v3',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-hubspot-signature-v3' },
      encoding: 'base64',
      message: '{method}{url}{body}{ts}',
      url: { base: 'configured', variants: 'hubspot-decode' },
      time: { from: 'header:x-hubspot-request-timestamp', unit: 'ms', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    items: '[]',
    // eventId alone is not unique; both sides of an association come, and the events of all accounts of an app.
    key: [
      [
        'json:eventId',
        'json:subscriptionId',
        'json:occurredAt',
        'json:portalId?',
        'json:objectId?',
        'json:fromObjectId?',
        'json:toObjectId?',
        'json:associationType?',
        'json:associationRemoved?',
      ],
    ],
    type: ['json:subscriptionType'],
    time: { from: 'json:occurredAt', unit: 'ms' },
    ordering: 'json:objectId',
    // attemptNumber counts the deliveries.
    unstableBody: true,
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  signatureHeaders: ['x-hubspot-signature-v3', 'x-hubspot-request-timestamp', 'x-hubspot-signature'],
  retries: 'Up to ten over 24 hours with growing waits.',
  setup:
    "HubSpot developer account, the app, Webhooks: this URL as target, and the subscriptions. The secret is the app's client secret (Auth). The source's URL must equal the target URL.",
};
