import type { ProviderSpec } from 'holdfast';

export const mollie: ProviderSpec = {
  id: 'mollie',
  title: 'Mollie (classic)',
  docs: 'https://docs.mollie.com/reference/webhooks',
  checkedOn: '2026-11-21',
  unconfirmed: ['retries', 'deadline'],
  strength: 'none',
  verify: [],
  // The body only names the object and is the same for each of its states: nothing may be taken for a repetition.
  identity: { key: [['none']], type: [], ordering: 'form:id' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 15_000 },
  retries: 'Ten over 26 hours.',
  setup:
    'Pass this URL as webhookUrl when you create a payment. Mollie sends only id=tr_…: the handler must fetch the object from the API and act on that. Anyone can send such a request: set a throttle on the source. New integrations: mollie-next.',
};
