import type { ProviderSpec } from 'holdfast';
import { standardScheme } from './schemes/hmac-schemes.ts';

export const incidentIo: ProviderSpec = {
  id: 'incident-io',
  title: 'incident.io',
  docs: 'https://docs.incident.io/integrations/webhooks',
  checkedOn: '2026-11-27',
  source: "docs.incident.io, webhooks (sent by Svix). Header names: a user's library, by that page's sample.",
  unconfirmed: ['deadline'],
  verify: [standardScheme('webhook', ['whsec_'])],
  identity: { key: [['header:webhook-id']], type: ['json:event_type'] },
  types: { character: '[a-z_.0-9]', example: 'public_incident.incident_created_v2' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 15_000 },
  retries: 'Over 24 hours with growing waits; an endpoint failing for five days is disabled.',
  setup:
    "incident.io, Settings, Webhooks, Add endpoint: this URL and the events; the endpoint's page shows the signing secret (whsec_…). Events of private incidents carry ids alone.",
};
