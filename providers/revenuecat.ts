import type { ProviderSpec } from 'holdfast';

export const revenuecat: ProviderSpec = {
  id: 'revenuecat',
  title: 'RevenueCat',
  docs: 'https://www.revenuecat.com/docs/integrations/webhooks',
  checkedOn: '2026-11-22',
  unconfirmed: ['Everything on this page: it was written without the documentation of the provider at hand.'],
  strength: 'shared-secret',
  verify: [{ id: 'revenuecat', alg: 'token', sig: { from: 'header:authorization' } }],
  identity: {
    key: [['json:event.id']],
    type: ['json:event.type'],
    time: { from: 'json:event.event_timestamp_ms', unit: 'ms' },
    ordering: 'json:event.app_user_id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 60_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['authorization'],
  retries: 'Five times: after 5, 10, 20, 40 and 80 minutes; the event id stays the same.',
  setup:
    'RevenueCat, Project, Integrations, Webhooks: this URL and, as Authorization header value, a random text of your own making, which is the secret of the source, whole.',
};
