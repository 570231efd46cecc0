import type { ProviderSpec } from 'holdfast';
import { timedHmac } from './schemes/hmac-schemes.ts';

export const recharge: ProviderSpec = {
  id: 'recharge',
  title: 'Recharge',
  docs: 'https://docs.getrecharge.com/docs/webhooks-overview',
  checkedOn: '2026-11-27',
  source:
    "Three receivers agree on X-Recharge-Hmac-Sha256, seven on X-Recharge-Topic, two on X-Recharge-Webhook-Signature with 48 hours; Recharge's documentation was not read.",
  unconfirmed: ['fields that identify', 'deadline', 'retries'],
  verify: [
    { id: 'recharge', ...timedHmac('x-recharge-webhook-signature', { past: 172_800 }) },
    {
      id: 'recharge-sha256',
      alg: 'digest-sha256',
      sig: { from: 'header:x-recharge-hmac-sha256' },
      encoding: 'hex',
      message: '{secret}{body}',
    },
  ],
  // The topic is in no signed place, and nothing else tells created from paid but the object itself.
  identity: { key: [['header:x-recharge-topic?', 'hash:body']], type: ['header:x-recharge-topic'] },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  signatureHeaders: ['x-recharge-webhook-signature', 'x-recharge-webhook-timestamp', 'x-recharge-hmac-sha256'],
  retries: 'After 408, 429, 5xx or no answer, 20 in 48 hours; then Recharge deletes the webhook.',
  setup:
    'POST /webhooks with this URL and one topic. The secret is the API Client Secret of the token that created it, not the access token. X-Recharge-Hmac-Sha256 is a plain hash: whoever holds a request can append bytes: let the handler refuse what is no JSON.',
};
