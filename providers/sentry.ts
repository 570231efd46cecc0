import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const sentry: ProviderSpec = {
  id: 'sentry',
  title: 'Sentry integrations',
  docs: 'https://docs.sentry.io/organization/integrations/integration-platform/webhooks/',
  checkedOn: '2026-11-21',
  // Sentry-Hook-Timestamp is not signed, so no window can rest on it.
  verify: [bodyHmac('sentry-hook-signature', 'hex')],
  identity: {
    key: [['header:request-id'], ['hash:body']],
    type: ['header:sentry-hook-resource', 'json:action'],
    typeJoin: '.',
    time: { from: 'header:sentry-hook-timestamp', unit: 's' },
    ordering: 'json:data.issue.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 1_000 },
  retries:
    'None. A thousand answers later than one second within 24 hours unsubscribe the integration: keep the ingest function warm for this source.',
  setup:
    'Sentry, Settings, Custom Integrations: create an internal or public integration with this URL as Webhook URL and choose the resources. The secret is the Client Secret.',
};
