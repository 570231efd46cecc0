import type { ProviderSpec } from 'holdfast';
import { standardScheme } from './schemes/hmac-schemes.ts';

export const replicate: ProviderSpec = {
  id: 'replicate',
  title: 'Replicate',
  docs: 'https://replicate.com/docs/topics/webhooks/verify-webhook',
  checkedOn: '2026-11-27',
  source: 'replicate/replicate-javascript, lib/util.js.',
  unconfirmed: ['deadline'],
  verify: [standardScheme('webhook', ['whsec_'])],
  identity: { key: [['header:webhook-id']], type: ['json:status'], ordering: 'json:id' },
  retries: 'Not known; webhook-id stays.',
  setup:
    'Pass this URL as webhook, and webhook_events_filter, when you create a prediction or training. GET /v1/webhooks/default/secret returns the secret (whsec_…). The body is the prediction; its status is the type.',
};
