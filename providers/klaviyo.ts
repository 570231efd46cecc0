import type { ProviderSpec } from 'holdfast';

export const klaviyo: ProviderSpec = {
  id: 'klaviyo',
  title: 'Klaviyo system webhooks',
  docs: 'https://developers.klaviyo.com/en/docs/system-webhooks',
  checkedOn: '2026-11-23',
  source: 'developers.klaviyo.com, docs/working_with_system_webhooks; seven receivers agree on the signed text.',
  unconfirmed: ['new time on retries (so no limit of age)', 'deadline'],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:klaviyo-signature' },
      encoding: 'hex',
      message: '{body}{header:klaviyo-timestamp}',
    },
  ],
  identity: {
    items: 'data[]',
    key: [['json:topic?', 'json:external_id']],
    type: ['json:topic'],
    ordering: 'json:external_id',
  },
  signatureHeaders: ['klaviyo-signature', 'klaviyo-timestamp'],
  keepHeaders: ['klaviyo-webhook-id'],
  retries: 'Not documented; the event id stays.',
  setup:
    'Create the webhook through the Webhooks API (or Integrations, Webhooks) with this URL and a secret key you choose, which is the secret.',
};
