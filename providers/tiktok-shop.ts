import type { ProviderSpec } from 'holdfast';

export const tiktokShop: ProviderSpec = {
  id: 'tiktok-shop',
  title: 'TikTok Shop',
  docs: 'https://partner.tiktokshop.com/docv2/page/tts-webhooks-overview',
  checkedOn: '2026-11-27',
  source:
    "partner.tiktokshop.com, a webhook's page (a copy), for event fields; signature, deadline, retries: Hookdeck's description, and a reader agrees that no time is signed.",
  unconfirmed: ['that 401 answers a bad signature'],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:authorization' },
      encoding: 'hex',
      message: '{config:appKey}{body}',
    },
  ],
  identity: {
    key: [['json:tts_notification_id']],
    // A number: 1 is ORDER_STATUS_CHANGE.
    type: ['json:type'],
    time: { from: 'json:timestamp', unit: 's' },
    ordering: ['json:data.order_id', 'json:shop_id'],
  },
  ack: { status: 200, contentType: 'text/plain', body: '', rejectStatus: 401, deadlineMs: 3_000 },
  settings: { appKey: 'The app key (Partner Center, App & Service); it is part of what is signed' },
  retries: 'Four: after 2 and 30 minutes, 3 and 12 hours.',
  setup:
    'TikTok Shop Partner Center, the app, Webhooks: this URL for each type of event. The secret is the app secret. Types are numbers, explained on the page of each webhook.',
};
