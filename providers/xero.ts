import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const xero: ProviderSpec = {
  id: 'xero',
  title: 'Xero',
  docs: 'https://developer.xero.com/documentation/guides/webhooks/overview/',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries', 'deadline'],
  verify: [bodyHmac('x-xero-signature', 'base64')],
  identity: {
    items: 'events[]',
    key: [['json:tenantId', 'json:resourceId', 'json:eventCategory', 'json:eventType', 'json:eventDateUtc']],
    type: ['json:eventCategory', 'json:eventType'],
    typeJoin: '.',
    time: { from: 'json:eventDateUtc', unit: 'iso8601' },
    ordering: 'json:resourceId',
  },
  // Xero accepts only empty answers without cookies.
  ack: { status: 200, contentType: 'text/plain', body: '', rejectStatus: 401, rejectBody: '', deadlineMs: 5_000 },
  handshakes: [
    {
      when: { method: 'POST', emptyJsonArrayAt: 'events' },
      verify: 'signature',
      respond: { status: 200, contentType: 'text/plain', body: '', elseStatus: 401 },
    },
  ],
  retries: 'For 24 hours with growing waits; then the subscription is disabled.',
  setup:
    'Xero developer portal, the app, Webhooks: this URL; the webhooks key shown there is the secret. Press Send Intent to receive: Xero sends good and bad signatures and expects 200 and 401.',
};
