import type { ProviderSpec } from 'holdfast';

export const sumsub: ProviderSpec = {
  id: 'sumsub',
  title: 'Sumsub',
  docs: 'https://docs.sumsub.com/docs/webhook-manager',
  checkedOn: '2026-11-27',
  source: 'docs.sumsub.com, webhook-manager. Signature: five receivers agree.',
  unconfirmed: ['fields that identify and date'],
  verify: [
    {
      id: 'sumsub',
      alg: 'hmac-sha256',
      when: { header: { 'x-payload-digest-alg': 'HMAC_SHA256_HEX' } },
      sig: { from: 'header:x-payload-digest' },
      encoding: 'hex',
      message: '{body}',
    },
    {
      id: 'sumsub-sha512',
      alg: 'hmac-sha512',
      when: { header: { 'x-payload-digest-alg': 'HMAC_SHA512_HEX' } },
      sig: { from: 'header:x-payload-digest' },
      encoding: 'hex',
      message: '{body}',
    },
  ],
  identity: { key: [['hash:body']], type: ['json:type'], ordering: 'json:applicantId' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  keepHeaders: ['x-payload-digest-alg'],
  retries:
    'Four: after 5 minutes, 1, 5 and 18 hours; for applicant actions after 30 seconds, again 30 seconds, 1 and 5 minutes.',
  setup:
    'Sumsub Dashboard, Dev space, Webhooks, Webhook manager, Create webhook: type HTTP address, this URL, the events, a secret key, which is the secret, and SHA-256 or SHA-512 (SHA-1 is refused).',
};
