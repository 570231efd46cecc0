import type { ProviderSpec } from 'holdfast';

export const figma: ProviderSpec = {
  id: 'figma',
  title: 'Figma',
  docs: 'https://developers.figma.com/docs/rest-api/webhooks/',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries', 'deadline'],
  verify: [{ alg: 'token', sig: { from: 'json:passcode' } }],
  identity: {
    key: [
      // A publication sends an event for each type of asset, all of one time. The body counts its deliveries (retries).
      [
        'json:webhook_id',
        'json:event_type',
        'json:timestamp',
        'json:file_key?',
        'json:comment_id?',
        'json:version_id?',
        'json:node_id?',
        'json:status?',
        'json:created_components.0.key?',
        'json:created_styles.0.key?',
        'json:created_variables.0.key?',
        'json:modified_components.0.key?',
        'json:modified_styles.0.key?',
        'json:modified_variables.0.key?',
        'json:deleted_components.0.key?',
        'json:deleted_styles.0.key?',
        'json:deleted_variables.0.key?',
      ],
    ],
    type: ['json:event_type'],
    time: { from: 'json:timestamp', unit: 'iso8601' },
    ordering: 'json:file_key',
    unstableBody: true,
  },
  // 400 would make Figma stop the webhook, also when only the passcode was being changed.
  handshakes: [
    {
      when: { method: 'POST', jsonEquals: { event_type: 'PING' } },
      verify: 'signature',
      respond: { status: 200, contentType: 'text/plain', body: '', elseStatus: 401 },
    },
  ],
  retries: 'Three: after 5 minutes, 30 minutes and 3 hours.',
  setup:
    'Create the webhook through POST /v2/webhooks with this URL as endpoint and a passcode you choose, which is the secret. It travels inside every body: handlers see it, logs must not.',
};
