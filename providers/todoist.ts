import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const todoist: ProviderSpec = {
  id: 'todoist',
  title: 'Todoist',
  docs: 'https://developer.todoist.com/api/v1/#tag/Webhooks',
  checkedOn: '2026-11-27',
  source: "A copy of Todoist's documentation: fedoranimus/todoist-api, source/includes/_webhooks.md.",
  unconfirmed: ['the field that dates', 'deadline'],
  verify: [bodyHmac('x-todoist-hmac-sha256', 'base64')],
  identity: {
    // It is in a header and not signed; the body has no id of the event.
    key: [['header:x-todoist-delivery-id'], ['hash:body']],
    type: ['json:event_name'],
    ordering: 'json:event_data.id',
  },
  retries: 'Three, 15 minutes apart, after anything but 200; X-Todoist-Delivery-ID stays.',
  setup:
    "Todoist App Management Console, the app: this URL as webhook callback URL, and the events. The secret is the app's client secret. Events of all users who authorized the app come here.",
};
