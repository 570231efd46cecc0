import type { ProviderSpec } from 'holdfast';
import { standardScheme } from './schemes/hmac-schemes.ts';

export const liveblocks: ProviderSpec = {
  id: 'liveblocks',
  title: 'Liveblocks',
  docs: 'https://liveblocks.io/docs/platform/webhooks',
  checkedOn: '2026-11-27',
  source: 'liveblocks/liveblocks, docs/pages/platform/webhooks.mdx (the schedule of Svix).',
  unconfirmed: ['deadline'],
  verify: [standardScheme('webhook', ['whsec_'])],
  identity: {
    key: [['header:webhook-id']],
    type: ['json:type'],
    ordering: 'json:data.roomId',
  },
  types: { character: '[A-Za-z]', example: 'storageUpdated' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 15_000 },
  retries:
    'Eight attempts: at once, after 5 seconds, 5 and 30 minutes, 2, 5, 10 and again 10 hours. An endpoint failing for five days is disabled.',
  setup:
    "Liveblocks dashboard, the project, Webhooks, Create endpoint: this URL and the events; the endpoint's page shows the signing secret (whsec_…).",
};
