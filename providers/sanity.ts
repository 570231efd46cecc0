import type { ProviderSpec } from 'holdfast';

export const sanity: ProviderSpec = {
  id: 'sanity',
  title: 'Sanity',
  docs: 'https://www.sanity.io/docs/content-lake/webhooks',
  checkedOn: '2026-11-21',
  unconfirmed: ['new time on retries', 'deadline'],
  strength: 'signed',
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:sanity-webhook-signature', parse: { item: ',', kv: '=', key: 'v1', single: ['t'] } },
      encoding: 'base64url',
      message: '{ts}.{body}',
      time: { from: 'sig:t', unit: 'ms', past: 3_600, future: 300, signed: true },
    },
  ],
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
