import type { ProviderSpec } from 'holdfast';

export const oura: ProviderSpec = {
  id: 'oura',
  title: 'Oura',
  docs: 'https://cloud.ouraring.com/v2/docs#tag/Webhook-Subscription-Routes',
  checkedOn: '2026-11-27',
  source: "Three receivers that name Oura's documentation agree; it was not read.",
  unconfirmed: [
    'unit of the timestamp (so no limit of age)',
    'fields that identify',
    'ten retries',
    'that 410 ends a subscription',
  ],
  verify: [
    {
      alg: 'hmac-sha256',
      // Oura writes the hex in capitals.
      sig: { from: 'header:x-oura-signature' },
      encoding: 'hex',
      message: '{ts}{body}',
      // No limits: whether it is in seconds or milliseconds is not documented.
      time: { from: 'header:x-oura-timestamp', unit: 'ms', signed: true },
    },
  ],
  identity: {
    key: [['json:user_id', 'json:data_type', 'json:object_id', 'json:event_type', 'json:event_time'], ['hash:body']],
    type: ['json:data_type', 'json:event_type'],
    typeJoin: '.',
    time: { from: 'json:event_time', unit: 'iso8601' },
    ordering: 'json:object_id',
  },
  handshakes: [
    {
      when: { method: 'GET', query: { verification_token: '*', challenge: '*' } },
      verify: { tokenEquals: 'query:verification_token', token: 'config:verificationToken' },
      guard: { src: 'query:challenge', accept: '^[A-Za-z0-9_.~+/=-]{1,256}$' },
      respond: {
        status: 200,
        contentType: 'application/json',
        body: '{"challenge":{json(query:challenge)}}',
        elseStatus: 401,
      },
    },
  ],
  settings: {
    verificationToken: 'The verification_token you give the subscription; any text of yours',
  },
  retries: 'Up to ten after an error or timeout.',
  setup:
    "POST /v2/webhook/subscription with this URL, data_type, event_type and the verification token; Oura sends its challenge at once. The secret is your app's client secret. Subscriptions expire: renew them. Notices only name the object: read it through the API.",
};
