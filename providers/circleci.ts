import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const circleci: ProviderSpec = {
  id: 'circleci',
  title: 'CircleCI',
  docs: 'https://circleci.com/docs/webhooks/',
  checkedOn: '2026-11-23',
  source: 'circleci.com/docs, outbound webhooks. Signature: three receivers agree, one in a CircleCI tutorial.',
  unconfirmed: ['number of retries (said to be undocumented)'],
  verify: [bodyHmac('circleci-signature', 'hex', { parse: { item: ',', kv: '=', key: 'v1' } })],
  identity: {
    key: [['json:id']],
    type: ['json:type'],
    time: { from: 'json:happened_at', unit: 'iso8601' },
    ordering: 'json:workflow.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  keepHeaders: ['circleci-event-type'],
  retries: 'Possible after anything but 2xx, with the same id.',
  setup:
    'Project settings, Webhooks, Add webhook: this URL, a secret token you choose, which is the secret, and the events.',
};
