import type { ProviderSpec } from 'holdfast';

export const cloudflareStream: ProviderSpec = {
  id: 'cloudflare-stream',
  title: 'Cloudflare Stream',
  docs: 'https://developers.cloudflare.com/stream/manage-video-library/using-webhooks/',
  checkedOn: '2026-11-27',
  source: 'cloudflare/cloudflare-docs, stream/manage-video-library/using-webhooks.mdx.',
  unconfirmed: ['deadline', 'what tells events apart (they have no id)'],
  strength: 'signed',
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:webhook-signature', parse: { item: ',', kv: '=', key: 'sig1', single: ['time'] } },
      encoding: 'hex',
      message: '{ts}.{body}',
      time: { from: 'sig:time', unit: 's', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    key: [['hash:body']],
    type: ['json:status.state'],
    time: { from: 'json:modified', unit: 'iso8601', dates: 'object' },
    ordering: 'json:uid',
  },
  types: { character: '[a-z]', example: 'ready' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  retries: 'Not documented.',
  setup:
    'PUT /accounts/<account>/stream/webhook with this URL as notificationUrl: the answer has the secret. One webhook per account. Live inputs notify through Cloudflare Notifications, unsigned.',
};
