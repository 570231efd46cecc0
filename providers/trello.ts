import type { ProviderSpec } from 'holdfast';

export const trello: ProviderSpec = {
  id: 'trello',
  title: 'Trello',
  docs: 'https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries after 30, 60 and 120 seconds', 'deadline'],
  verify: [
    {
      alg: 'hmac-sha1',
      sig: { from: 'header:x-trello-webhook' },
      encoding: 'base64',
      message: '{body}{url}',
      url: { base: 'configured' },
    },
  ],
  identity: {
    key: [['json:action.id']],
    type: ['json:action.type'],
    time: { from: 'json:action.date', unit: 'iso8601' },
    ordering: 'json:model.id',
  },
  handshakes: [{ when: { method: 'HEAD' }, verify: 'none', respond: { status: 200 } }],
  retries: 'Three with growing waits; a webhook failing for long is disabled. 410 deletes it.',
  setup:
    "POST /1/webhooks with this URL, exactly as the source has it, as callbackURL (Trello checks it with HEAD). The secret is your Power-Up's API secret (trello.com/power-ups/admin, API key).",
};
