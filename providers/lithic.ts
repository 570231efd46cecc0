import type { ProviderSpec } from 'holdfast';
import { standardScheme } from './schemes/hmac-schemes.ts';

export const lithic: ProviderSpec = {
  id: 'lithic',
  title: 'Lithic',
  docs: 'https://github.com/lithic-com/lithic-node/blob/main/src/resources/webhooks.ts',
  checkedOn: '2026-11-27',
  source: 'lithic-com/lithic-node, src/resources/webhooks.ts.',
  unconfirmed: ['deadline', 'fields that date and order'],
  verify: [standardScheme('webhook', ['whsec_'])],
  identity: { key: [['header:webhook-id']], type: ['json:event_type'], ordering: 'json:token' },
  types: { character: '[a-z_.0-9]', example: 'account_holder.created' },
  retries: 'Not known.',
  setup:
    'Create an event subscription with this URL, in the dashboard or through the API. It shows the secret (base64, after whsec_ or not).',
};
