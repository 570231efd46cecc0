import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const notion: ProviderSpec = {
  id: 'notion',
  title: 'Notion',
  docs: 'https://developers.notion.com/reference/webhooks',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries', 'deadline'],
  verify: [bodyHmac('x-notion-signature', 'hex', { parse: { prefix: 'sha256=' } })],
  identity: {
    key: [['json:id']],
    type: ['json:type'],
    time: { from: 'json:timestamp', unit: 'iso8601' },
    ordering: 'json:entity.id',
    // attempt_number counts the deliveries.
    unstableBody: true,
  },
  handshakes: [
    {
      when: { method: 'POST', jsonKeysExactly: ['verification_token'] },
      verify: 'none',
      guard: { src: 'json:verification_token', accept: '^[A-Za-z0-9_-]{16,256}$' },
      respond: { status: 200, contentType: 'text/plain', body: '', elseStatus: 403 },
      store: { kind: 'pairing-secret', from: 'json:verification_token' },
    },
  ],
  retries: 'Up to eight attempts over about 24 hours, counted in attempt_number.',
  setup:
    'Open a pairing window (`holdfast sources pair <source> --out notion.token`), then Notion, the integration, Webhooks, Create a subscription with this URL: Notion sends a verification token, kept as the secret and written to that file. Enter it in Notion, then delete the file.',
};
