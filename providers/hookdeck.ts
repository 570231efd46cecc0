import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const hookdeck: ProviderSpec = {
  id: 'hookdeck',
  title: 'Hookdeck Event Gateway',
  docs: 'https://hookdeck.com/docs/authentication',
  checkedOn: '2026-11-27',
  source:
    'hookdeck/webhook-skills, hookdeck-event-gateway-webhooks; second header during a rotation, id of every attempt: trigger.dev, docs/webhooks/providers/hookdeck.',
  unconfirmed: ['deadline'],
  verify: [
    { id: 'hookdeck', ...bodyHmac('x-hookdeck-signature', 'base64') },
    { id: 'hookdeck-second', ...bodyHmac('x-hookdeck-signature-2', 'base64') },
  ],
  identity: {
    // Not signed.
    key: [['header:x-hookdeck-eventid']],
    type: ['json:type', 'json:event_type', 'json:event'],
  },
  keepHeaders: ['x-hookdeck-attempt-count', 'x-hookdeck-source-name', 'x-hookdeck-verified'],
  retries: "By the connection's retry rule; x-hookdeck-eventid stays.",
  setup:
    "Hookdeck, a connection with an HTTP destination, this URL and authentication Hookdeck Signature (the default). The secret is the project's signing secret (Settings, Secrets). The body is the sender's: the type is read where most have it.",
};
