import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const segment: ProviderSpec = {
  id: 'segment',
  title: 'Twilio Segment webhooks',
  docs: 'https://www.twilio.com/docs/segment/connections/destinations/catalog/webhooks',
  checkedOn: '2026-11-22',
  source: 'segmentio/segment-docs, src/connections/destinations/catalog/webhooks.',
  unconfirmed: [
    'that every message has messageId (its examples lack it)',
    'that the body is signed as sent (its example makes it anew from the parsed body)',
  ],
  verify: [bodyHmac('x-signature', 'hex', { alg: 'hmac-sha1' })],
  identity: {
    key: [['json:messageId']],
    type: ['json:type', 'json:event'],
    typeJoin: '.',
    // Imports carry the times of long ago.
    time: { from: 'json:timestamp', unit: 'iso8601', dates: 'object' },
    ordering: 'json:userId',
    // sentAt and receivedAt may be those of the delivery.
    unstableBody: true,
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  retries: 'For four hours with growing waits.',
  setup: 'Segment, Destinations, Webhooks: this URL and a shared secret you choose, which is the secret.',
};
