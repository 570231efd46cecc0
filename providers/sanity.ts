import type { ProviderSpec } from 'holdfast';
import { timedHmac } from './schemes/hmac-schemes.ts';

export const sanity: ProviderSpec = {
  id: 'sanity',
  title: 'Sanity',
  docs: 'https://www.sanity.io/docs/content-lake/webhooks',
  checkedOn: '2026-11-21',
  unconfirmed: ['new time on retries', 'deadline'],
  verify: [timedHmac('sanity-webhook-signature', { encoding: 'base64url', unit: 'ms', past: 3_600 })],
  identity: {
    key: [['header:idempotency-key'], ['hash:body']],
    type: ['header:sanity-operation', 'json:_type'],
    typeJoin: '.',
    // Not _updatedAt: a deleted document has that of its last change.
    time: { from: 'sig:t', unit: 'ms' },
    ordering: 'header:sanity-document-id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 30_000 },
  keepHeaders: ['sanity-document-id', 'sanity-dataset', 'sanity-project-id', 'sanity-transaction-id'],
  retries: 'Twice, 30 seconds apart, after 429 and 5xx (before April 2026: for half an hour).',
  setup: 'Sanity Manage, the project, API, Webhooks: this URL, method POST, and a secret you choose.',
};
