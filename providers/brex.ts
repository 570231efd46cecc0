import type { ProviderSpec } from 'holdfast';
import { standardScheme } from './schemes/hmac-schemes.ts';

export const brex: ProviderSpec = {
  id: 'brex',
  title: 'Brex',
  docs: 'https://developer.brex.com/docs/webhooks',
  checkedOn: '2026-11-27',
  source: "developer.brex.com, docs/webhooks and API schemas. Signature: two receivers, and Svix' list of sources.",
  unconfirmed: ['deadline', 'fields that date and order', 'same id on retries'],
  verify: [standardScheme('webhook', ['whsec_'])],
  identity: { key: [['header:webhook-id']], type: ['json:event_type'] },
  types: { character: '[A-Z_]', example: 'TRANSFER_PROCESSED' },
  retries: 'Not documented.',
  setup:
    'POST /v1/webhooks with this URL and event types; GET /v1/webhooks/secrets gives the secret. During a replacement both secrets sign.',
};
