import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const plane: ProviderSpec = {
  id: 'plane',
  title: 'Plane',
  docs: 'https://developers.plane.so/dev-tools/intro-webhooks',
  checkedOn: '2026-11-27',
  source:
    "makeplane/developer-docs, docs/dev-tools/intro-webhooks.md; Plane's sending task: each attempt has another delivery id.",
  unconfirmed: ['deadline'],
  verify: [bodyHmac('x-plane-signature', 'hex')],
  identity: {
    // X-Plane-Delivery is another one for each attempt; two changes of an object differ in its updated_at.
    key: [['hash:body']],
    type: ['json:event', 'json:action'],
    typeJoin: '.',
    time: { from: 'json:data.updated_at', unit: 'iso8601' },
    ordering: 'json:data.id',
  },
  keepHeaders: ['x-plane-delivery'],
  retries: 'After about 10 and 30 minutes and so on, unless the answer is 200.',
  setup:
    'Plane, Workspace settings, Webhooks: this URL and the events. The secret is made then and downloaded as a CSV file.',
};
