import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const calCom: ProviderSpec = {
  id: 'cal-com',
  title: 'Cal.com',
  docs: 'https://github.com/calcom/cal.com/blob/main/docs/developing/guides/automation/webhooks.mdx',
  checkedOn: '2026-11-27',
  source:
    'calcom/cal.com, packages/features/webhooks/lib/sendPayload.ts and docs/developing/guides/automation/webhooks.mdx.',
  unconfirmed: ['deadline'],
  verify: [bodyHmac('x-cal-signature-256', 'hex')],
  identity: {
    // Without an id; createdAt is the time of sending.
    key: [['hash:body']],
    type: ['json:triggerEvent'],
    time: { from: 'json:createdAt', unit: 'iso8601' },
    ordering: ['json:payload.uid', 'json:payload.bookingUid'],
  },
  types: { character: '[A-Z_]', example: 'BOOKING_CREATED' },
  retries: 'None.',
  setup:
    'Cal.com, Settings, Developer, Webhooks, New: this URL, the triggers, and a secret you choose; without one nothing is signed. Leave the custom payload template off: the payload holds the type.',
};
