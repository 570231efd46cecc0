import type { ProviderSpec } from 'holdfast';

export const slack: ProviderSpec = {
  id: 'slack',
  title: 'Slack Events API',
  docs: 'https://docs.slack.dev/apis/events-api/',
  checkedOn: '2026-11-22',
  unconfirmed: ['waits between retries'],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:x-slack-signature', parse: { prefix: 'v0=' } },
      encoding: 'hex',
      message: 'v0:{ts}:{body}',
      time: { from: 'header:x-slack-request-timestamp', unit: 's', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    key: [['json:event_id']],
    type: ['json:event.type', 'json:type'],
    time: { from: 'json:event_time', unit: 's' },
  },
  ack: { status: 200, contentType: 'text/plain', body: '', rejectStatus: 401, deadlineMs: 3_000 },
  handshakes: [
    {
      when: { method: 'POST', jsonEquals: { type: 'url_verification', challenge: '*' } },
      verify: 'signature',
      respond: { status: 200, contentType: 'text/plain', body: '{echo(json:challenge)}', elseStatus: 401 },
    },
  ],
  keepHeaders: ['x-slack-retry-num', 'x-slack-retry-reason'],
  retries:
    'Three: at once, after one minute, after five. Slack switches the subscription off when most deliveries fail for an hour.',
  setup:
    'api.slack.com, Your Apps, the app, Event Subscriptions: this URL, which Slack calls at once, and the bot events. The secret is Basic Information, App Credentials, Signing Secret.',
};
