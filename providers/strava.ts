import type { ProviderSpec } from 'holdfast';

export const strava: ProviderSpec = {
  id: 'strava',
  title: 'Strava',
  docs: 'https://developers.strava.com/docs/webhooks/',
  checkedOn: '2026-11-27',
  source:
    "Hookdeck's description of Strava's page; event fields and challenge: three receivers agree. Strava's documentation of today was not read.",
  unconfirmed: ['which fields tell two events apart'],
  strength: 'none',
  verify: [],
  identity: {
    // Several events come of one change, in one second: they differ in what was updated.
    key: [['hash:body']],
    type: ['json:object_type', 'json:aspect_type'],
    typeJoin: '.',
    time: { from: 'json:event_time', unit: 's' },
    ordering: 'json:object_id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 2_000 },
  handshakes: [
    {
      when: { method: 'GET', query: { 'hub.mode': 'subscribe', 'hub.verify_token': '*', 'hub.challenge': '*' } },
      verify: { tokenEquals: 'query:hub.verify_token', token: 'config:verifyToken' },
      guard: { src: 'query:hub.challenge', accept: '^[A-Za-z0-9_.-]{1,256}$' },
      respond: {
        status: 200,
        contentType: 'application/json',
        body: '{"hub.challenge":{json(query:hub.challenge)}}',
        elseStatus: 403,
      },
    },
  ],
  settings: { verifyToken: 'The verify_token you give the subscription; any text of yours' },
  retries: 'Three attempts at most, until 200.',
  setup:
    'POST /api/v3/push_subscriptions with this URL and the verify token; an app has one subscription. Nothing is signed: compare subscription_id, read the object through the API, act on what it says there, and set a rate limit on the source.',
};
