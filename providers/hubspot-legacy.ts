import type { ProviderSpec } from 'holdfast';

export const hubspotLegacy: ProviderSpec = {
  id: 'hubspot-legacy',
  title: 'HubSpot (signatures v1 and v2)',
  docs: 'https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries of workflow webhooks'],
  verify: [
    {
      id: 'hubspot-v2',
      alg: 'digest-sha256',
      when: { header: { 'x-hubspot-signature-version': 'v2' } },
      sig: { from: 'header:x-hubspot-signature' },
      encoding: 'hex',
      message: '{secret}{method}{url}{body}',
      url: { base: 'configured' },
    },
    {
      id: 'hubspot-v1',
      alg: 'digest-sha256',
      when: { header: { 'x-hubspot-signature-version': 'v1' } },
      sig: { from: 'header:x-hubspot-signature' },
      encoding: 'hex',
      message: '{secret}{body}',
    },
  ],
  identity: {
    items: '[]',
    // As for hubspot. Requests of workflows have none of these.
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
      ['hash:body'],
    ],
    type: ['json:subscriptionType'],
    time: { from: 'json:occurredAt', unit: 'ms' },
    ordering: 'json:objectId',
    unstableBody: true,
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  methods: ['POST', 'GET'],
  signatureHeaders: ['x-hubspot-signature', 'x-hubspot-signature-version'],
  keepHeaders: ['x-hubspot-signature-version'],
  retries:
    'App webhooks: up to ten over 24 hours. Workflow webhooks: slower, for about three days, none after 4xx other than 429.',
  setup:
    "Only for workflow actions and cards without a v3 signature. The secret is the app's client secret. These are plain SHA-256 digests of secret and body: no time, open to appended bytes. Use hubspot where you can.",
};
