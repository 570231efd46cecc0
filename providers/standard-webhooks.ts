import type { ProviderSpec } from 'holdfast';
import { standardScheme } from './schemes/hmac-schemes.ts';

export const standardWebhooks: ProviderSpec = {
  id: 'standard-webhooks',
  title: 'Standard Webhooks (v1, shared secret)',
  docs: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  checkedOn: '2026-11-21',
  verify: [standardScheme('webhook', ['v1,whsec_', 'whsec_'])],
  identity: {
    key: [['header:webhook-id']],
    type: ['json:type'],
    time: { from: 'json:timestamp', unit: 'iso8601' },
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 15_000 },
  retries:
    'Up to the sender; the specification suggests ten attempts over about three days. Each keeps webhook-id and signs a new time. 410 tells the sender to stop.',
  setup:
    'Take the endpoint secret (whsec_ followed by base64) from the sender. A public key (whpk_…) needs standard-webhooks-v1a: as a shared secret it would let anyone sign.',
};
