import type { ProviderSpec } from 'holdfast';

export const webflow: ProviderSpec = {
  id: 'webflow',
  title: 'Webflow',
  docs: 'https://developers.webflow.com/data/docs/working-with-webhooks',
  checkedOn: '2026-11-26',
  source: 'webflow/js-webflow-api, src/wrapper/WebhooksClient.ts.',
  unconfirmed: [
    'new time on retries (Webflow advises five minutes but repeats after ten, so an hour is allowed',
    'the same body again is a duplicate)',
    'event fields',
  ],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:x-webflow-signature' },
      encoding: 'hex',
      message: '{ts}:{body}',
      time: { from: 'header:x-webflow-timestamp', unit: 'ms', past: 3_600, future: 300, signed: true },
    },
  ],
  identity: {
    // There is no id of the event, and one form or item has many.
    key: [['hash:body']],
    type: ['json:triggerType'],
    ordering: 'json:payload.id',
  },
  retries: 'Three, ten minutes apart; a webhook that keeps failing is disabled.',
  setup:
    'Create the webhook through the API with an OAuth app (the secret is its client secret), or in the site settings, Apps & integrations (each webhook has its own secret).',
};
