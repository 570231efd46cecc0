import type { ProviderSpec } from 'holdfast';

export const mandrill: ProviderSpec = {
  id: 'mandrill',
  title: 'Mandrill (Mailchimp Transactional)',
  docs: 'https://mailchimp.com/developer/transactional/guides/track-respond-activity-webhooks/',
  checkedOn: '2026-11-22',
  source:
    "Four independent receivers agree (an HMAC-SHA1 in base64 of the URL and the fields sorted by name); not read in Mailchimp's documentation.",
  unconfirmed: [
    'Everything but the form of the signature: it was written without the documentation of the provider at hand.',
    'Retries and the deadline of an answer.',
  ],
  strength: 'signed',
  verify: [
    {
      id: 'mandrill',
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
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [{ when: { method: 'HEAD' }, verify: 'none', respond: { status: 200 } }],
  methods: ['POST', 'HEAD'],
  signatureHeaders: ['x-mandrill-signature'],
  retries: 'Up to 100 times in batches, with growing waits of at most a day.',
  setup:
    'Mandrill, Settings, Webhooks, Add a webhook: this URL, which Mandrill asks with HEAD first. The secret of the source is the key of the webhook. The URL of the source must be exactly the one entered there: it is part of the signature.',
};
