import type { ProviderSpec } from 'holdfast';

export const slackCommands: ProviderSpec = {
  id: 'slack-commands',
  title: 'Slack slash commands and interactivity',
  docs: 'https://docs.slack.dev/interactivity/implementing-slash-commands/',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'that nothing is repeated'],
  verify: [
    {
      id: 'slack',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-slack-signature', parse: { prefix: 'v0=' } },
      encoding: 'hex',
      message: 'v0:{ts}:{body}',
      time: { from: 'header:x-slack-request-timestamp', unit: 's', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    document: { from: 'form:payload', format: 'json' },
    key: [['form:trigger_id'], ['doc:trigger_id'], ['hash:body']],
    type: ['form:command', 'doc:type'],
    time: { from: 'header:x-slack-request-timestamp', unit: 's' },
  },
  // Any text in the answer is shown to the user.
  ack: { status: 200, contentType: 'text/plain', body: '', rejectStatus: 401, deadlineMs: 3_000 },
  handshakes: [
    {
      when: { method: 'POST', formKeysExactly: ['ssl_check', 'token'] },
      verify: 'none',
      respond: { status: 200, contentType: 'text/plain', body: '' },
    },
  ],
  retries: 'None: a late answer shows the user a failure.',
  setup:
    'api.slack.com, Your Apps, the app: set this URL under Slash Commands or Interactivity & Shortcuts. The secret is the Signing Secret. The user sees nothing until the handler answers through response_url.',
};
