import type { ProviderSpec } from 'holdfast';
import { x } from './x.ts';

export const xActivity: ProviderSpec = {
  ...x,
  id: 'x-activity',
  title: 'X Activity and filtered stream',
  identity: {
    key: [['json:data.event_uuid'], ['hash:body']],
    type: ['json:data.event_type'],
    ordering: 'json:data.filter.user_id',
  },
  setup:
    "X developer console: the secret is the app's OAuth 2.0 Client Secret (older apps: the API key secret). Register this URL, without a port, with POST /2/webhooks; X sends a challenge at once and every 30 minutes to 24 hours. Account Activity: x.",
};
