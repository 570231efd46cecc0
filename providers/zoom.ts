import type { ProviderSpec } from 'holdfast';

export const zoom: ProviderSpec = {
  id: 'zoom',
  title: 'Zoom',
  docs: 'https://developers.zoom.us/docs/api/webhooks/',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'new time on retries'],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:x-zm-signature', parse: { prefix: 'v0=' } },
      encoding: 'hex',
      message: 'v0:{ts}:{body}',
      // As long as the retries (85 minutes): whether they are signed anew is not documented.
      time: { from: 'header:x-zm-request-timestamp', unit: 's', past: 7_200, future: 300, signed: true },
    },
  ],
  identity: {
    key: [
      // All who leave when a meeting ends leave in one millisecond.
      [
        'json:event',
        'json:event_ts',
        'json:payload.object.uuid',
        'json:payload.object.participant.user_id?',
        'json:payload.object.participant.participant_uuid?',
        'json:payload.object.registrant.id?',
      ],
      ['json:event', 'json:event_ts', 'json:payload.object.id', 'json:payload.object.registrant.id?'],
      ['hash:body'],
    ],
    type: ['json:event'],
    time: { from: 'json:event_ts', unit: 'ms' },
    ordering: 'json:payload.object.uuid',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 3_000 },
  handshakes: [
    {
      when: { method: 'POST', jsonEquals: { event: 'endpoint.url_validation', 'payload.plainToken': '*' } },
      verify: 'signature',
      // The same key signs events as v0:time:body: a token with a colon could be such a text.
      guard: { src: 'json:payload.plainToken', accept: '^[A-Za-z0-9_.~+/=-]{1,128}$' },
      respond: {
        status: 200,
        contentType: 'application/json',
        body: '{"plainToken":{json(json:payload.plainToken)},"encryptedToken":"{hmac(sha256,hex,json:payload.plainToken)}"}',
        elseStatus: 401,
      },
    },
  ],
  retries: 'Three: after 5, 25 and 85 minutes. Zoom checks the URL again every 72 hours.',
  setup:
    'Zoom App Marketplace, Manage, the app, Features, Access: the Secret Token is the secret. Add an event subscription with this URL and press Validate.',
};
