import type { ProviderSpec } from 'holdfast';

export const bigcommerce: ProviderSpec = {
  id: 'bigcommerce',
  title: 'BigCommerce',
  docs: 'https://developer.bigcommerce.com/docs/integrations/webhooks',
  checkedOn: '2026-11-22',
  unconfirmed: [
    'Everything on this page: it was written without the documentation of the provider at hand.',
    'Which fields identify, name and date an event.',
  ],
  strength: 'shared-secret',
  verify: [{ id: 'bigcommerce', alg: 'token', sig: { from: 'header:authorization' } }],
  identity: {
    // The hash is that of the notice, which is the same for two changes of one second.
    key: [['json:producer?', 'json:scope', 'json:data.id?', 'json:created_at', 'json:hash']],
    type: ['json:scope'],
    time: { from: 'json:created_at', unit: 's' },
    ordering: 'json:data.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['authorization'],
  retries: 'For 48 hours: after 60, 180, 180, 300, 600, 900 seconds and so on; then the webhook is disabled.',
  setup:
    'Create the webhook through the API with this URL as destination and headers: { "authorization": a random text of your own making }, which is the secret of the source. A notice only names the object: the handler reads it through the API.',
};
