import type { ProviderSpec } from 'holdfast';

export const elevenlabs: ProviderSpec = {
  id: 'elevenlabs',
  title: 'ElevenLabs',
  docs: 'https://elevenlabs.io/docs/agents-platform/workflows/post-call-webhooks',
  checkedOn: '2026-11-22',
  source: 'elevenlabs/elevenlabs-js, src/wrapper/webhooks.ts.',
  unconfirmed: ['event fields', 'deadline'],
  strength: 'signed',
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:elevenlabs-signature', parse: { item: ',', kv: '=', key: 'v0', single: ['t'] } },
      encoding: 'hex',
      message: '{ts}.{body}',
      time: { from: 'sig:t', unit: 's', past: 1_800, future: 1_800, signed: true },
    },
  ],
  identity: {
    key: [['json:type', 'json:event_timestamp', 'json:data.conversation_id'], ['hash:body']],
    type: ['json:type'],
    time: { from: 'json:event_timestamp', unit: 's' },
    ordering: 'json:data.conversation_id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  retries: 'Not documented; ten failures in a row, with the last success a week ago, disable the webhook.',
  setup: 'ElevenLabs, Settings, Webhooks, Create: this URL, HMAC. The secret is shown once.',
};
