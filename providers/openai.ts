import type { ProviderSpec } from 'holdfast';
import { standardScheme } from './schemes/hmac-schemes.ts';

export const openai: ProviderSpec = {
  id: 'openai',
  title: 'OpenAI',
  docs: 'https://platform.openai.com/docs/guides/webhooks',
  checkedOn: '2026-11-21',
  unconfirmed: ['retries (third parties only)', 'deadline'],
  verify: [standardScheme('webhook', ['v1,whsec_', 'whsec_'])],
  identity: {
    key: [['header:webhook-id']],
    type: ['json:type'],
    time: { from: 'json:created_at', unit: 's' },
    ordering: 'json:data.id',
  },
  retries: 'For up to 72 hours with growing waits; webhook-id stays. Redirects count as failures.',
  setup:
    'OpenAI platform, Settings, Project, Webhooks, Create: this URL and the event types; the signing secret (whsec_…) is shown once.',
};
