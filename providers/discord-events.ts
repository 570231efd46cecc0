import type { ProviderSpec } from 'holdfast';

export const discordEvents: ProviderSpec = {
  id: 'discord-events',
  title: 'Discord webhook events',
  docs: 'https://docs.discord.com/developers/events/webhook-events',
  checkedOn: '2026-11-21',
  unconfirmed: ['new time on retries'],
  verify: [
    {
      id: 'discord',
      alg: 'ed25519',
      sig: { from: 'header:x-signature-ed25519' },
      encoding: 'hex',
      key: { encoding: 'hex' },
      message: '{ts}{body}',
      // As long as the retries (ten minutes) and some.
      time: { from: 'header:x-signature-timestamp', unit: 's', past: 900, future: 300, signed: true },
    },
  ],
  identity: {
    key: [['hash:body']],
    type: ['json:event.type'],
    time: { from: 'json:event.timestamp', unit: 'iso8601' },
  },
  ack: { status: 204, contentType: 'application/json', body: '', rejectStatus: 401, deadlineMs: 3_000 },
  handshakes: [
    {
      when: { method: 'POST', jsonEquals: { type: 0 }, jsonMissing: ['event'] },
      verify: 'signature',
      respond: { status: 204, contentType: 'application/json', body: '', elseStatus: 401 },
    },
  ],
  retries:
    "Several for up to ten minutes with growing waits; then the event is lost. Too many failures stop Discord's sending.",
  setup:
    'Discord Developer Portal, the application, Webhooks: this URL, switch events on and choose them. The secret is the Public Key on General Information.',
};
