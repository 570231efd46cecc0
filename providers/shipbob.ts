import type { ProviderSpec } from 'holdfast';
import { standardScheme } from './schemes/hmac-schemes.ts';

export const shipbob: ProviderSpec = {
  id: 'shipbob',
  title: 'ShipBob',
  docs: 'https://developer.shipbob.com/2026-01/webhooks',
  checkedOn: '2026-11-27',
  source:
    "developer.shipbob.com, webhooks. Standard Webhooks, base64 key, x-webhook-topic, webhook-id that stays: Hookdeck's description.",
  unconfirmed: ['the field that dates', 'deadline', 'waits between retries'],
  verify: [standardScheme('webhook', ['whsec_'])],
  identity: { key: [['header:webhook-id']], type: ['header:x-webhook-topic'] },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 15_000 },
  retries:
    'At once, after 5 seconds, 5 and 30 minutes, 2, 5, 10 and again 10 hours; an endpoint failing for five days is disabled.',
  setup:
    "ShipBob, Integrations, Webhooks, or the API of 2026: this URL and the topics. The webhook's page shows the secret (whsec_…).",
};
