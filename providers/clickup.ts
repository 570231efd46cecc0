import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const clickup: ProviderSpec = {
  id: 'clickup',
  title: 'ClickUp',
  docs: 'https://developer.clickup.com/docs/webhooks',
  checkedOn: '2026-11-23',
  source: 'developer.clickup.com, docs/webhooksignature and docs/webhookhealth.',
  unconfirmed: ['fields that identify and date'],
  verify: [bodyHmac('x-signature', 'hex')],
  identity: {
    key: [
      ['json:webhook_id', 'json:event', 'json:history_items.0.id'],
      // A task, list, folder, space or goal that is deleted has no history, and is deleted once.
      [
        'json:webhook_id',
        'json:event',
        'json:task_id?',
        'json:list_id?',
        'json:folder_id?',
        'json:space_id?',
        'json:goal_id?',
        'json:key_result_id?',
      ],
    ],
    type: ['json:event'],
    time: { from: 'json:history_items.0.date', unit: 'ms' },
    ordering: 'json:task_id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 7_000 },
  retries: 'Up to five; 100 failures, or one 410, suspend the webhook.',
  setup:
    'Create the webhook through the API with this URL as endpoint: webhook.secret in the answer is the secret. One source per webhook.',
};
