import type { ProviderSpec } from 'holdfast';
import { timedHmac } from './schemes/hmac-schemes.ts';

export const cloudflareStream: ProviderSpec = {
  id: 'cloudflare-stream',
  title: 'Cloudflare Stream',
  docs: 'https://developers.cloudflare.com/stream/manage-video-library/using-webhooks/',
  checkedOn: '2026-11-27',
  source: 'cloudflare/cloudflare-docs, stream/manage-video-library/using-webhooks.mdx.',
  unconfirmed: ['deadline', 'what tells events apart (they have no id)'],
  verify: [timedHmac('webhook-signature', { key: 'sig1', timeKey: 'time' })],
  identity: {
    key: [['hash:body']],
    type: ['json:status.state'],
    time: { from: 'json:modified', unit: 'iso8601', dates: 'object' },
    ordering: 'json:uid',
  },
  types: { character: '[a-z]', example: 'ready' },
  retries: 'Not documented.',
  setup:
    'PUT /accounts/<account>/stream/webhook with this URL as notificationUrl: the answer has the secret. One webhook per account. Live inputs notify through Cloudflare Notifications, unsigned.',
};
