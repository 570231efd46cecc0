import type { ProviderSpec } from 'holdfast';

export const docusign: ProviderSpec = {
  id: 'docusign',
  title: 'DocuSign Connect',
  docs: 'https://developers.docusign.com/platform/webhooks/connect/validate/',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'deadline', 'retries'],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: {
        from: 'header:x-docusign-signature-1',
        headerPattern: '^x-docusign-signature-(?:[1-9]|[1-9][0-9]|100)$',
        max: 100,
      },
      encoding: 'base64',
      message: '{body}',
    },
  ],
  identity: {
    key: [
      // The body counts its deliveries (retryCount): what happened when to what, with or without an envelope.
      [
        'json:event',
        'json:generatedDateTime',
        'json:configurationId?',
        'json:data.accountId?',
        'json:data.userId?',
        'json:data.envelopeId?',
        'json:data.recipientId?',
        'json:data.templateId?',
      ],
      ['hash:body'],
    ],
    type: ['json:event'],
    time: { from: 'json:generatedDateTime', unit: 'iso8601' },
    ordering: 'json:data.envelopeId',
    // retryCount counts the deliveries.
    unstableBody: true,
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 100_000 },
  retries: 'Over several days with growing waits, counted in retryCount.',
  setup:
    'DocuSign Settings, Connect: create the configuration with this URL, format JSON (REST v2.1), Include HMAC Signature; a key of Connect Keys is the secret. Each active key adds a header: keys rotate without a gap. Keep documents out of the payload: they exceed the limit.',
};
