import type { ProviderSpec } from 'holdfast';

export const x: ProviderSpec = {
  id: 'x',
  title: 'X Account Activity',
  docs: 'https://docs.x.com/x-api/webhooks/introduction',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries on other plans'],
  verify: [
    {
      id: 'x-oauth2',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-twitter-webhooks-signature-oauth2', parse: { prefix: 'sha256=' } },
      encoding: 'base64',
      message: '{body}',
      guard: { rejectMessage: '^[A-Za-z0-9._~+/=-]+$' },
    },
    {
      id: 'x',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-twitter-webhooks-signature', parse: { prefix: 'sha256=' } },
      encoding: 'base64',
      message: '{body}',
      // The challenge below is answered with the same key: a body that could be a token is refused.
      guard: { rejectMessage: '^[A-Za-z0-9._~+/=-]+$' },
    },
  ],
  identity: {
    // { "for_user_id": …, "tweet_create_events": […], … }: the name of the array is the type.
    items: '*[]',
    // An activity between two subscribed users comes for each of them.
    key: [
      ['root:for_user_id?', 'item:key', 'json:id_str'],
      ['root:for_user_id?', 'item:key', 'json:id'],
      ['root:for_user_id?', 'item:key', 'json:status.id', 'json:timestamp_ms'],
      ['root:for_user_id?', 'item:key', 'json:type', 'json:created_timestamp', 'json:source.id', 'json:target.id'],
      ['root:for_user_id?', 'item:key', 'json:created_timestamp', 'json:sender_id'],
      ['root:for_user_id?', 'hash:body'],
    ],
    type: ['item:key'],
    time: { from: 'json:created_timestamp', unit: 'ms' },
    ordering: 'root:for_user_id',
  },
  ack: { status: 200, contentType: 'text/plain', body: '', rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [
    {
      when: { method: 'GET', query: { crc_token: '*' } },
      verify: 'none',
      guard: { src: 'query:crc_token', accept: '^[A-Za-z0-9._~+/=-]{1,256}$' },
      respond: {
        status: 200,
        contentType: 'application/json',
        body: '{"response_token":"sha256={hmac(sha256,base64,query:crc_token)}"}',
        elseStatus: 403,
      },
    },
  ],
  retries: 'Enterprise plans: up to three within five minutes. Others: count on none.',
  setup:
    "X developer console: the secret is the app's OAuth 2.0 Client Secret (older apps: the API key secret). Register this URL, without a port, with POST /2/webhooks; X sends a challenge at once and every 30 minutes to 24 hours. X Activity and filtered-stream webhooks: x-activity.",
};
