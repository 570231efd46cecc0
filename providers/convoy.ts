import type { ProviderSpec } from 'holdfast';

export const convoy: ProviderSpec = {
  id: 'convoy',
  title: 'Convoy',
  docs: 'https://github.com/frain-dev/convoy/blob/main/pkg/signature/signature.go',
  checkedOn: '2026-11-27',
  source: 'frain-dev/convoy, pkg/signature/signature.go; its changelog for X-Convoy-Idempotency-Key.',
  unconfirmed: ['deadline'],
  verify: [
    {
      id: 'convoy',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-convoy-signature', parse: { item: ',', kv: '=', key: 'v1', single: ['t'] } },
      encoding: 'hex',
      message: '{ts},{body}',
      time: { from: 'sig:t', unit: 's', past: 300, future: 300, signed: true },
    },
    {
      id: 'convoy-simple',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-convoy-signature' },
      encoding: 'hex',
      message: '{body}',
      // Else an advanced signature would be a simple one of its time, a comma and the body.
      guard: { rejectMessage: '^[0-9]+,' },
    },
  ],
  identity: {
    key: [['header:x-convoy-idempotency-key'], ['hash:body']],
    type: ['json:event_type', 'json:type'],
  },
  retries: 'As the project is set.',
  setup:
    "For senders that deliver through Convoy: the endpoint's secret. The project must sign in hex with SHA-256 and header X-Convoy-Signature (its default). Prefer the advanced form: it signs a time.",
};
