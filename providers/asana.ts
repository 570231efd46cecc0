import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const asana: ProviderSpec = {
  id: 'asana',
  title: 'Asana',
  docs: 'https://developers.asana.com/docs/webhooks-guide',
  checkedOn: '2026-11-21',
  verify: [bodyHmac('x-hook-signature', 'hex')],
  identity: {
    items: 'events[]',
    // Events have no id: what happened to what, down to the value that was set, added or removed.
    key: [
      [
        'json:resource.gid',
        'json:action',
        'json:created_at',
        'json:user.gid?',
        'json:parent.gid?',
        'json:change.field?',
        'json:change.action?',
        'json:change.new_value.gid?',
        'json:change.added_value.gid?',
        'json:change.removed_value.gid?',
      ],
    ],
    type: ['json:resource.resource_type', 'json:action'],
    typeJoin: '.',
    time: { from: 'json:created_at', unit: 'iso8601' },
    ordering: 'json:resource.gid',
  },
  ack: { status: 200, contentType: 'text/plain', body: '', rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [
    {
      when: { method: 'POST', header: { 'x-hook-secret': '*' } },
      verify: 'none',
      guard: { src: 'header:x-hook-secret', accept: '^[A-Za-z0-9_-]{16,256}$' },
      respond: {
        status: 200,
        contentType: 'text/plain',
        body: '',
        headers: { 'x-hook-secret': '{echo(header:x-hook-secret)}' },
        elseStatus: 403,
      },
      store: { kind: 'pairing-secret', from: 'header:x-hook-secret' },
    },
    {
      when: { method: 'POST', emptyJsonArrayAt: 'events' },
      verify: 'signature',
      respond: { status: 200, contentType: 'text/plain', body: '', elseStatus: 401 },
    },
  ],
  signatureHeaders: ['x-hook-signature', 'x-hook-secret'],
  retries: 'For up to 24 hours with growing waits. Asana itself may lose events: compare from time to time.',
  setup:
    'Open a pairing window (`holdfast sources pair <source>`), then create the webhook with POST /webhooks and this URL: Asana sends the secret at once and it is kept. Each webhook has its own secret: one source each.',
};
