import type { ProviderSpec } from 'holdfast';

export const todoist: ProviderSpec = {
  id: 'todoist',
  title: 'Todoist',
  docs: 'https://developer.todoist.com/api/v1/#tag/Webhooks',
  checkedOn: '2026-11-27',
  source:
    "Todoist's own documentation in a copy (fedoranimus/todoist-api, source/includes/_webhooks.md): an HMAC-SHA256 of the body in base64 by the client secret; X-Todoist-Delivery-ID, which a repetition keeps; three repetitions.",
  unconfirmed: ['Which field dates an event.', 'The deadline of an answer.'],
  strength: 'signed',
  verify: [
    {
      id: 'todoist',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-todoist-hmac-sha256' },
      encoding: 'base64',
      message: '{body}',
    },
  ],
  identity: {
    // It is in a header and not signed; the body has no id of the event.
    key: [['header:x-todoist-delivery-id'], ['hash:body']],
    type: ['json:event_name'],
    ordering: 'json:event_data.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['x-todoist-hmac-sha256'],
  retries: 'Three times, 15 minutes apart, after any answer but 200.',
  setup:
    "Todoist App Management Console, the app: this URL as webhook callback URL, and the events. The secret of the source is the app's client secret. Events of all users who authorized the app come here.",
};
