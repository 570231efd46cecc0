import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const typeform: ProviderSpec = {
  id: 'typeform',
  title: 'Typeform',
  docs: 'https://www.typeform.com/developers/webhooks/',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries', '404 or 410 disabling the webhook', 'deadline'],
  verify: [bodyHmac('typeform-signature', 'base64', { parse: { prefix: 'sha256=' } })],
  identity: {
    key: [['json:event_id']],
    type: ['json:event_type'],
    time: { from: 'json:form_response.submitted_at', unit: 'iso8601' },
    ordering: 'json:form_response.token',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 30_000 },
  retries: 'For some hours with growing waits; 404 and 410 disable the webhook at once.',
  setup: 'Typeform, the form, Connect, Webhooks: this URL, then Edit, Secret: a secret you choose.',
};
