import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const greenhouse: ProviderSpec = {
  id: 'greenhouse',
  title: 'Greenhouse Recruiting',
  docs: 'https://github.com/grnhse/greenhouse-api-docs/blob/master/source/includes/webhooks/_introduction.md',
  checkedOn: '2026-11-27',
  source: 'grnhse/greenhouse-api-docs, source/includes/webhooks/_introduction.md.',
  unconfirmed: ['same Greenhouse-Event-ID on retries (so the body tells events apart)', 'deadline'],
  verify: [bodyHmac('signature', 'hex', { parse: { prefix: 'sha256 ' } })],
  identity: { key: [['hash:body']], type: ['json:action'], ordering: 'json:payload.application.id' },
  types: { character: '[a-z_]', example: 'hire_candidate' },
  keepHeaders: ['greenhouse-event-id'],
  retries: 'After anything but 200, six times: after 1, 15, 60, 120, 240 and 480 minutes.',
  setup:
    'Greenhouse, create a web hook with this URL and a secret key you choose, which is the secret. Saving pings the URL; if that fails the web hook starts disabled.',
};
