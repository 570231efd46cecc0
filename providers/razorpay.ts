import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const razorpay: ProviderSpec = {
  id: 'razorpay',
  title: 'Razorpay',
  docs: 'https://razorpay.com/docs/webhooks/best-practices/',
  checkedOn: '2026-11-21',
  verify: [bodyHmac('x-razorpay-signature', 'hex')],
  identity: {
    key: [['header:x-razorpay-event-id'], ['hash:body']],
    type: ['json:event'],
    time: { from: 'json:created_at', unit: 's' },
    ordering: 'json:payload.payment.entity.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  retries:
    'For 24 hours with growing waits; then the webhook is disabled until a person enables it. The dashboard replays the last seven days.',
  setup:
    'Razorpay Dashboard, Account & Settings, Webhooks: this URL, a secret you choose (not the API key secret), and the events. After a change, older events stay signed with the old secret: keep it as the previous one for a day.',
};
