import type { ProviderSpec } from 'holdfast';
import { standardScheme } from './schemes/hmac-schemes.ts';

export const svix: ProviderSpec = {
  id: 'svix',
  title: 'Svix',
  docs: 'https://docs.svix.com/receiving/verifying-payloads/how-manual',
  checkedOn: '2026-11-21',
  verify: [standardScheme('svix', ['v1,whsec_', 'whsec_'])],
  identity: { key: [['header:svix-id']], type: ['json:type', 'json:event_type', 'json:eventType'] },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 15_000 },
  retries:
    'Eight attempts: at once, after 5 seconds, 5 and 30 minutes, 2, 5, 10 and again 10 hours. An endpoint failing for five days is disabled.',
  setup:
    "For any sender that delivers through Svix: in its Svix application portal add this URL and reveal the endpoint's signing secret (whsec_…). Senders with webhook-id instead of svix-id headers: standard-webhooks.",
};
