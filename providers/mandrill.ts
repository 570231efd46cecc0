import type { ProviderSpec } from 'holdfast';

export const mandrill: ProviderSpec = {
  id: 'mandrill',
  title: 'Mandrill (Mailchimp Transactional)',
  docs: 'https://mailchimp.com/developer/transactional/guides/track-respond-activity-webhooks/',
  checkedOn: '2026-11-22',
  source: "Four receivers agree; Mailchimp's documentation was not read.",
  unconfirmed: ['everything but the form of the signature', 'deadline'],
  verify: [
    {
      alg: 'hmac-sha1',
      sig: { from: 'header:x-mandrill-signature' },
      encoding: 'base64',
      message: '{url}{formSorted}',
      url: { base: 'configured' },
    },
  ],
  identity: {
    // The events are a JSON array in a field of the form.
    document: { from: 'form:mandrill_events', format: 'json', asBody: true },
    items: '[]',
    // One message has many openings and clicks, several of one second.
    key: [
      ['json:_id', 'json:event', 'json:ts', 'json:url?'],
      ['json:type', 'json:action', 'json:ts', 'json:reject.email?', 'json:entry.email?'],
      ['json:event', 'json:ts', 'hash:body'],
    ],
    type: ['json:event', 'json:type'],
    time: { from: 'json:ts', unit: 's' },
    ordering: 'json:_id',
  },
  handshakes: [{ when: { method: 'HEAD' }, verify: 'none', respond: { status: 200 } }],
  retries: 'Up to 100 times in batches, with growing waits of at most a day.',
  setup:
    "Mandrill, Settings, Webhooks, Add a webhook: this URL, exactly as the source has it; Mandrill asks it with HEAD first. The secret is the webhook's key.",
};
