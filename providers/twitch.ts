import type { ProviderSpec } from 'holdfast';

export const twitch: ProviderSpec = {
  id: 'twitch',
  title: 'Twitch EventSub',
  docs: 'https://dev.twitch.tv/docs/eventsub/handling-webhook-events/',
  checkedOn: '2026-11-21',
  unconfirmed: ['number of retries', 'deadline ("a few seconds")'],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:twitch-eventsub-message-signature', parse: { prefix: 'sha256=' } },
      encoding: 'hex',
      message: '{header:twitch-eventsub-message-id}{ts}{body}',
      time: { from: 'header:twitch-eventsub-message-timestamp', unit: 'iso8601', past: 600, future: 300, signed: true },
    },
  ],
  identity: {
    key: [['header:twitch-eventsub-message-id']],
    type: ['json:subscription.type'],
    time: { from: 'header:twitch-eventsub-message-timestamp', unit: 'iso8601' },
    ordering: 'json:subscription.id',
  },
  ack: { status: 204, body: '', rejectStatus: 403, deadlineMs: 3_000 },
  handshakes: [
    {
      when: {
        method: 'POST',
        header: { 'twitch-eventsub-message-type': 'webhook_callback_verification' },
        jsonEquals: { challenge: '*' },
      },
      verify: 'signature',
      respond: { status: 200, contentType: 'text/plain', body: '{echo(json:challenge)}', elseStatus: 403 },
    },
  ],
  keepHeaders: [
    'twitch-eventsub-message-type',
    'twitch-eventsub-message-retry',
    'twitch-eventsub-subscription-type',
    'twitch-eventsub-subscription-version',
  ],
  retries:
    'A few with the same message id, counted in Twitch-Eventsub-Message-Retry; a subscription that keeps failing is revoked (notification_failures_exceeded).',
  setup:
    'POST /eventsub/subscriptions with transport webhook, this URL as callback and a secret you choose (10 to 100 ASCII characters). Revocations are events with header Twitch-Eventsub-Message-Type: revocation.',
};
