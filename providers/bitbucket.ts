import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const bitbucket: ProviderSpec = {
  id: 'bitbucket',
  title: 'Bitbucket Cloud',
  docs: 'https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/',
  checkedOn: '2026-11-22',
  unconfirmed: ['retries', 'same X-Request-UUID on them', 'the deadline of ten seconds'],
  verify: [bodyHmac('x-hub-signature', 'hex', { parse: { prefix: 'sha256=' } })],
  identity: { key: [['header:x-request-uuid']], type: ['header:x-event-key'] },
  keepHeaders: ['x-hook-uuid', 'x-attempt-number'],
  retries: 'Two more, counted in X-Attempt-Number. Payloads above 256 KB are not sent.',
  setup: 'Repository settings, Webhooks, Add webhook: this URL, a secret you choose, and the triggers.',
};
