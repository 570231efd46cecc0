import type { ProviderSpec } from 'holdfast';
import { timedHmac } from './schemes/hmac-schemes.ts';

export const persona: ProviderSpec = {
  id: 'persona',
  title: 'Persona',
  docs: 'https://docs.withpersona.com/webhooks',
  checkedOn: '2026-11-27',
  source: "docs.withpersona.com, webhooks. Signature: Hookdeck's description, and a receiver agrees.",
  unconfirmed: ['new time on retries', 'same id on retries'],
  verify: [
    // As long as the retries (51 hours): whether they are signed anew is not documented.
    timedHmac('persona-signature', { past: 198_000 }),
  ],
  identity: {
    key: [['json:data.id']],
    type: ['json:data.attributes.name'],
    time: { from: 'json:data.attributes.created-at', unit: 'iso8601' },
    ordering: 'json:data.attributes.payload.data.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  retries:
    'Seven after about 3 seconds, 1, 12 and 68 minutes, 4, 13 and 33 hours, unless the answer is 200, 201, 202 or 204.',
  setup:
    'Persona Dashboard, Integration, Webhooks: this URL and the events; the secret (wbhsec_…) is shown there. During a rotation both secrets sign and the last signature is read: give the source the new secret first.',
};
