import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const dwolla: ProviderSpec = {
  id: 'dwolla',
  title: 'Dwolla',
  docs: 'https://developers.dwolla.com/',
  checkedOn: '2026-11-27',
  source: "Dwolla's guides to webhooks and reference.",
  verify: [bodyHmac('x-request-signature-sha-256', 'hex')],
  identity: {
    // A transfer between two customers is an event for each of them.
    key: [['json:id']],
    type: ['json:topic'],
    time: [
      { from: 'json:created', unit: 'iso8601' },
      { from: 'json:timestamp', unit: 'iso8601' },
    ],
    ordering: 'json:resourceId',
  },
  types: { character: '[a-z_]', example: 'customer_transfer_completed' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 20_000 },
  retries: 'Eight over 72 hours with growing waits, after 400 or above or no answer.',
  setup:
    'Create a webhook subscription through the API with this URL and a secret you choose. Events come in no certain order.',
};
