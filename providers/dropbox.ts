import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const dropbox: ProviderSpec = {
  id: 'dropbox',
  title: 'Dropbox',
  docs: 'https://www.dropbox.com/developers/reference/webhooks',
  checkedOn: '2026-11-21',
  unconfirmed: ['number of retries'],
  verify: [bodyHmac('x-dropbox-signature', 'hex')],
  // The body only lists accounts and is the same for different changes.
  identity: { key: [['none']], type: [] },
  ack: { status: 200, contentType: 'text/plain', body: '', rejectStatus: 403, deadlineMs: 10_000 },
  handshakes: [
    {
      when: { method: 'GET', query: { challenge: '*' } },
      verify: 'none',
      guard: { src: 'query:challenge', accept: '^[A-Za-z0-9_.~-]{1,256}$' },
      respond: {
        status: 200,
        contentType: 'text/plain',
        body: '{echo(query:challenge)}',
        headers: { 'x-content-type-options': 'nosniff' },
        elseStatus: 400,
      },
    },
  ],
  retries: 'With growing waits; too many failures throttle the app or disable its webhook.',
  setup:
    'Dropbox App Console, the app, Webhooks: add this URL (Dropbox calls with a challenge at once). The secret is the App secret. A notice says only whose files changed: the handler asks /files/list_folder/continue with its cursor.',
};
