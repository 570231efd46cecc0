import type { ProviderSpec } from 'holdfast';

export const standardWebhooksV1a: ProviderSpec = {
  id: 'standard-webhooks-v1a',
  title: 'Standard Webhooks (v1a, public key)',
  docs: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  checkedOn: '2026-11-21',
  verify: [
    {
      alg: 'ed25519',
      sig: { from: 'header:webhook-signature', parse: { item: ' ', kv: ',', key: 'v1a' } },
      encoding: 'base64',
      key: { encoding: 'base64', strip: ['whpk_'] },
      message: '{header:webhook-id}.{ts}.{body}',
      time: { from: 'header:webhook-timestamp', unit: 's', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    key: [['header:webhook-id']],
    type: ['json:type'],
    time: { from: 'json:timestamp', unit: 'iso8601' },
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 15_000 },
  retries:
    'Up to the sender; the specification suggests ten attempts over about three days. 410 tells the sender to stop.',
  setup:
    'Take the public key (whpk_ followed by base64 of 32 bytes) from the sender; it is the secret. It is not confidential, but anyone who can change it can forge events.',
};
