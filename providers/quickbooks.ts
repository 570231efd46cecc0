import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const quickbooks: ProviderSpec = {
  id: 'quickbooks',
  title: 'QuickBooks Online',
  docs: 'https://developer.intuit.com/app/developer/qbo/docs/develop/webhooks',
  checkedOn: '2026-11-23',
  source:
    'intuit/QuickBooks-V3-DotNET-SDK, WebhooksCloudEvent.cs and WebhooksService.cs; two receivers agree on the signature.',
  unconfirmed: ['that cloud events are signed as the older form is (receivers say so)', 'retries', 'deadline'],
  verify: [bodyHmac('intuit-signature', 'base64')],
  identity: {
    // Since 2026 an array of CloudEvents; before, entities in notifications.
    items: ['[]', 'eventNotifications[].dataChangeEvent.entities[]'],
    key: [
      ['json:specversion', 'json:source?', 'json:id'],
      // Two objects that are merged into one in the same second differ in deletedId.
      ['parent:realmId', 'json:name', 'json:id', 'json:operation', 'json:deletedId?', 'json:lastUpdated'],
    ],
    type: ['json:type', 'json:name', 'json:operation'],
    typeJoin: '.',
    time: [
      { from: 'json:time', unit: 'iso8601' },
      { from: 'json:lastUpdated', unit: 'iso8601' },
    ],
    // The id of a cloud event is its own; that of an entity in the older form is the object's.
    ordering: ['json:intuitentityid', 'json:id'],
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 3_000 },
  retries:
    'After 20, 30 and 50 minutes, then about every two hours for a day; an endpoint that keeps failing is marked and skipped.',
  setup:
    'Intuit Developer, the app, Webhooks: this URL and the entities. The secret is the verifier token on that page. Notices only name the entity: read it through the API.',
};
