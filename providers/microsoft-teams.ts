import type { ProviderSpec } from 'holdfast';

export const microsoftTeams: ProviderSpec = {
  id: 'microsoft-teams',
  title: 'Microsoft Teams outgoing webhooks',
  docs: 'https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-outgoing-webhook',
  checkedOn: '2026-11-22',
  source: 'MicrosoftDocs/msteams-docs, webhooks-and-connectors/how-to/add-outgoing-webhook.md.',
  unconfirmed: ['that the token is decoded from base64 into the key', 'event fields'],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:authorization', parse: { prefix: 'HMAC ' } },
      encoding: 'base64',
      message: '{body}',
      key: { encoding: 'base64' },
    },
  ],
  identity: {
    // The id is the time in milliseconds: it tells messages of one conversation apart.
    key: [['json:conversation.id?', 'json:id']],
    type: ['json:type'],
    time: { from: 'json:timestamp', unit: 'iso8601' },
    ordering: 'json:conversation.id',
  },
  // Teams shows an error unless the answer is a message. It may have no text: the handler answers through the API.
  ack: {
    status: 200,
    contentType: 'application/json',
    body: '{"type":"message","text":""}',
    rejectStatus: 401,
    deadlineMs: 5_000,
  },
  retries: 'None: a message not answered in time fails for the user.',
  setup:
    'The team, Manage team, Apps, Create an outgoing webhook: this URL. The secret is the security token, shown once.',
};
