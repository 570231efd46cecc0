import type { ProviderSpec } from 'holdfast';
import { standardScheme } from './schemes/hmac-schemes.ts';

export const resend: ProviderSpec = {
  id: 'resend',
  title: 'Resend',
  docs: 'https://resend.com/docs/webhooks/introduction',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'deadline'],
  verify: [standardScheme('svix', ['v1,whsec_', 'whsec_'])],
  identity: {
    key: [['header:svix-id']],
    type: ['json:type'],
    time: { from: 'json:created_at', unit: 'iso8601' },
    ordering: 'json:data.email_id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 15_000 },
  retries: 'Eight attempts: at once, after 5 seconds, 5 and 30 minutes, 2, 5, 10 and again 10 hours.',
  setup:
    "Resend, Webhooks, Add webhook: this URL and the events. The webhook's page shows the signing secret (whsec_…).",
};
