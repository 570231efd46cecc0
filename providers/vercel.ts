import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const vercel: ProviderSpec = {
  id: 'vercel',
  title: 'Vercel',
  docs: 'https://vercel.com/docs/webhooks/webhooks-api',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries', 'deadline'],
  verify: [bodyHmac('x-vercel-signature', 'hex', { alg: 'hmac-sha1' })],
  identity: {
    key: [['json:id']],
    type: ['json:type'],
    time: { from: 'json:createdAt', unit: 'ms' },
    ordering: 'json:payload.deployment.id',
  },
  ack: { status: 200, rejectStatus: 403, deadlineMs: 30_000 },
  retries: 'For 24 hours with growing waits.',
  setup:
    "Vercel team settings, Webhooks, Create: this URL and the events; the secret is shown once. An integration's webhooks are signed with its client secret.",
};
