import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const intercom: ProviderSpec = {
  id: 'intercom',
  title: 'Intercom',
  docs: 'https://developers.intercom.com/docs/webhooks',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries', 'deadline', 'that 410 ends a subscription'],
  verify: [bodyHmac('x-hub-signature', 'hex', { alg: 'hmac-sha1', parse: { prefix: 'sha1=' } })],
  identity: {
    key: [['json:id']],
    type: ['json:topic'],
    time: { from: 'json:created_at', unit: 's' },
    ordering: 'json:data.item.id',
    // delivery_attempts counts the deliveries.
    unstableBody: true,
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  handshakes: [{ when: { method: 'HEAD' }, verify: 'none', respond: { status: 200 } }],
  retries:
    "One, after a minute. A thousand errors in a row within 15 minutes pause notifications for 15 minutes; private apps' subscriptions that fail for seven days are suspended.",
  setup:
    'Intercom Developer Hub, the app, Configure, Webhooks: this URL (Intercom checks it with HEAD) and the topics. The secret is the client secret (Basic information).',
};
