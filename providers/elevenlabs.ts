import type { ProviderSpec } from 'holdfast';
import { timedHmac } from './schemes/hmac-schemes.ts';

export const elevenlabs: ProviderSpec = {
  id: 'elevenlabs',
  title: 'ElevenLabs',
  docs: 'https://elevenlabs.io/docs/agents-platform/workflows/post-call-webhooks',
  checkedOn: '2026-11-22',
  source: 'elevenlabs/elevenlabs-js, src/wrapper/webhooks.ts.',
  unconfirmed: ['event fields', 'deadline'],
  verify: [timedHmac('elevenlabs-signature', { key: 'v0', past: 1_800, future: 1_800 })],
  identity: {
    key: [['json:type', 'json:event_timestamp', 'json:data.conversation_id'], ['hash:body']],
    type: ['json:type'],
    time: { from: 'json:event_timestamp', unit: 's' },
    ordering: 'json:data.conversation_id',
  },
  retries: 'Not documented; ten failures in a row, with the last success a week ago, disable the webhook.',
  setup: 'ElevenLabs, Settings, Webhooks, Create: this URL, HMAC. The secret is shown once.',
};
