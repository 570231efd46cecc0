import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const snyk: ProviderSpec = {
  id: 'snyk',
  title: 'Snyk',
  docs: 'https://docs.snyk.io/snyk-api/using-specific-snyk-apis/webhooks-apis/webhooks',
  checkedOn: '2026-11-27',
  source: 'snyk/user-docs, about-webhooks.md and validation-and-versioning-of-payloads.md.',
  unconfirmed: ['same X-Snyk-Transport-ID on retries (an unsigned header)', 'deadline'],
  verify: [bodyHmac('x-hub-signature', 'hex', { parse: { prefix: 'sha256=' } })],
  identity: {
    key: [['header:x-snyk-transport-id'], ['hash:body']],
    // With its version: project_snapshot/v0.
    type: ['header:x-snyk-event'],
    time: { from: 'header:x-snyk-timestamp', unit: 'iso8601' },
    ordering: 'json:project.id',
  },
  retries: 'Not documented.',
  setup:
    'Create the webhook through the API (POST /v1/org/{id}/webhooks) with this URL and a secret you choose; Snyk pings at once.',
};
