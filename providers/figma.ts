import type { ProviderSpec } from '#core/provider/provider-spec.ts';

export const figma: ProviderSpec = {
  id: 'figma',
  title: 'Figma',
  docs: 'https://developers.figma.com/docs/rest-api/webhooks/',
  checkedOn: '2026-11-21',
  unconfirmed: [
    'Which fields identify, name and date an event.',
    'Three further attempts: after 5 minutes, 30 minutes and 3 hours.',
    'The deadline of an answer.',
  ],
  strength: 'shared-secret',
  verify: [{ id: 'figma', alg: 'token', sig: { from: 'json:passcode' } }],
  identity: {
    key: [
      ['json:webhook_id', 'json:event_type', 'json:timestamp', 'json:comment_id'],
      // A publication sends an event for each type of asset, all of one time.
      ['json:webhook_id', 'json:event_type', 'json:timestamp', 'hash:body'],
    ],
    type: ['json:event_type'],
    time: { from: 'json:timestamp', unit: 'iso8601' },
    ordering: 'json:file_key',
  },
  // 400 would make Figma stop the webhook, also when only the passcode was being changed.
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [
    {
      when: { method: 'POST', jsonEquals: { event_type: 'PING' } },
      verify: 'signature',
      respond: { status: 200, contentType: 'text/plain', body: '', elseStatus: 401 },
    },
  ],
  methods: ['POST'],
  signatureHeaders: [],
  retries: 'Three times: after 5 minutes, 30 minutes and 3 hours.',
  setup:
    'Create the webhook through POST /v2/webhooks with this URL as endpoint and a passcode of your own making, which is the secret. The passcode travels inside every body: handlers see it, logs must not.',
};
