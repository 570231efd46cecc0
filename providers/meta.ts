import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const meta: ProviderSpec = {
  id: 'meta',
  title: 'Meta (Pages, Messenger, Instagram)',
  docs: 'https://developers.facebook.com/docs/graph-api/webhooks/getting-started',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries', 'deadline'],
  verify: [{ id: 'meta', ...bodyHmac('x-hub-signature-256', 'hex', { parse: { prefix: 'sha256=' } }) }],
  identity: {
    items: ['entry[].changes[]', 'entry[].messaging[]'],
    // Most changes have no id and may be grouped anew when they are repeated: better twice than never.
    // A message's deletion, and its echo in another account, have its id, too.
    key: [
      ['parent:id?', 'json:message.mid', 'json:message.is_echo?', 'json:message.is_deleted?'],
      ['parent:id?', 'json:postback.mid'],
      // A reaction, a reading, an opt-in: milliseconds and the item, however items are grouped.
      ['parent:id?', 'json:timestamp', 'hash:body'],
      ['json:value.leadgen_id'],
      ['none'],
    ],
    type: ['root:object', 'json:field'],
    typeJoin: '.',
    // created_time in a change is that of the post, which may be years old. Messaging has milliseconds here: then no time.
    time: { from: 'parent:time', unit: 's' },
    ordering: 'parent:id',
  },
  ack: { status: 200, contentType: 'text/plain', body: 'EVENT_RECEIVED', rejectStatus: 401, deadlineMs: 5_000 },
  handshakes: [
    {
      when: { method: 'GET', query: { 'hub.mode': 'subscribe', 'hub.verify_token': '*', 'hub.challenge': '*' } },
      verify: { tokenEquals: 'query:hub.verify_token', token: 'config:verifyToken' },
      guard: { src: 'query:hub.challenge', accept: '^[A-Za-z0-9_.-]{1,256}$' },
      respond: { status: 200, contentType: 'text/plain', body: '{echo(query:hub.challenge)}', elseStatus: 403 },
    },
  ],
  signatureHeaders: ['x-hub-signature-256', 'x-hub-signature'],
  settings: {
    verifyToken: 'The verify token of the App Dashboard: any text, not the app secret',
  },
  retries:
    'At once, then ever less often for about 36 hours. Updates of one object may come together, regrouped when repeated: handlers of changes must bear repetitions.',
  setup:
    'Meta for Developers, the app, Webhooks: choose the object, enter this URL and the verify token, subscribe to fields. The secret is the App Secret (App settings, Basic). Types are object.field (page.feed); of messages the object alone.',
};
