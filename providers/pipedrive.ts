import type { ProviderSpec } from 'holdfast';

export const pipedrive: ProviderSpec = {
  id: 'pipedrive',
  title: 'Pipedrive (webhooks v2)',
  docs: 'https://pipedrive.readme.io/docs/guide-for-webhooks-v2',
  checkedOn: '2026-11-27',
  source: "pipedrive.readme.io, guide-for-webhooks-v2. Basic authorization: Hookdeck's description.",
  unconfirmed: ['same meta.id on retries'],
  verify: [{ alg: 'basic', sig: { from: 'header:authorization' } }],
  identity: {
    key: [['json:meta.webhook_id', 'json:meta.id']],
    type: ['json:meta.action', 'json:meta.entity'],
    typeJoin: '.',
    time: { from: 'json:meta.timestamp', unit: 'iso8601' },
    ordering: 'json:meta.entity_id',
    // meta.attempt counts the deliveries.
    unstableBody: true,
  },
  retries:
    'After 3, 30 and 150 seconds. Ten failed first attempts ban the webhook for 30 minutes, and its events of that time are lost; three days without success delete it.',
  setup:
    'Pipedrive, Tools and integrations, Webhooks, or POST /v1/webhooks, version 2.0: this URL, the events, and a user and password you choose. The secret is user:password.',
};
