import type { ProviderSpec } from 'holdfast';

export const retell: ProviderSpec = {
  id: 'retell',
  title: 'Retell AI',
  docs: 'https://docs.retellai.com/features/webhook-overview',
  checkedOn: '2026-11-27',
  source: "RetellAI/retell-typescript-sdk, src/lib/webhook_auth.ts. Events, retries: Hookdeck's description.",
  unconfirmed: ['fields that identify', 'the deadline of ten seconds', 'retries'],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:x-retell-signature', parse: { item: ',', kv: '=', key: 'd', single: ['v'] } },
      encoding: 'hex',
      message: '{body}{ts}',
      time: { from: 'sig:v', unit: 'ms', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    // A call has one call_started, but many transcript_updated: only its whole text tells those apart.
    key: [['hash:body']],
    type: ['json:event'],
    ordering: ['json:call.call_id', 'json:chat.chat_id'],
  },
  retries: 'Up to three without 2xx in time.',
  setup:
    'Retell dashboard, Webhooks, or webhook_url of an agent: this URL. The secret is the API key with the webhook badge (API Keys).',
};
