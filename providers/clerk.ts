import type { ProviderSpec } from 'holdfast';
import { standardScheme } from './schemes/hmac-schemes.ts';

export const clerk: ProviderSpec = {
  id: 'clerk',
  title: 'Clerk',
  docs: 'https://clerk.com/docs/guides/development/webhooks/overview',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', "that Svix' schedule is unchanged"],
  verify: [standardScheme('svix', ['v1,whsec_', 'whsec_'])],
  identity: {
    key: [['header:svix-id']],
    type: ['json:type'],
    time: { from: 'json:timestamp', unit: 'ms' },
    ordering: 'json:data.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 15_000 },
  retries: 'Eight attempts over about 28 hours (Clerk sends through Svix).',
  setup:
    "Clerk Dashboard, Configure, Webhooks, Add endpoint: this URL and the events; the endpoint's page shows the signing secret (whsec_…).",
};
