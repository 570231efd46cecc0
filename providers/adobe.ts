import type { ProviderSpec } from 'holdfast';

export const adobe: ProviderSpec = {
  id: 'adobe',
  title: 'Adobe I/O Events',
  docs: 'https://developer.adobe.com/events/docs/guides/',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields'],
  verify: [
    {
      id: 'adobe-1',
      alg: 'rsa-sha256',
      sig: { from: 'header:x-adobe-digital-signature-1' },
      encoding: 'base64',
      key: {
        provider: 'x509Url',
        from: 'https://static.adobeioevents.com{header:x-adobe-public-key1-path}',
        hosts: '^static\\.adobeioevents\\.com$',
        paths: '^/prod/keys/[A-Za-z0-9_.-]+\\.pem$',
      },
      message: '{body}',
      // Adobe signs for all its customers with the same keys: only the own client counts.
      claims: { recipient_client_id: 'config:clientId' },
    },
    {
      id: 'adobe-2',
      alg: 'rsa-sha256',
      sig: { from: 'header:x-adobe-digital-signature-2' },
      encoding: 'base64',
      key: {
        provider: 'x509Url',
        from: 'https://static.adobeioevents.com{header:x-adobe-public-key2-path}',
        hosts: '^static\\.adobeioevents\\.com$',
        paths: '^/prod/keys/[A-Za-z0-9_.-]+\\.pem$',
      },
      message: '{body}',
      claims: { recipient_client_id: 'config:clientId' },
    },
  ],
  identity: {
    key: [['json:event_id'], ['json:id'], ['hash:body']],
    type: ['json:type', 'json:event.@type'],
    time: { from: 'json:time', unit: 'iso8601' },
    ordering: 'json:source',
  },
  handshakes: [
    {
      when: { method: 'GET', query: { challenge: '*' } },
      verify: 'none',
      guard: { src: 'query:challenge', accept: '^[A-Za-z0-9_.~-]{1,256}$' },
      respond: { status: 200, contentType: 'text/plain', body: '{echo(query:challenge)}', elseStatus: 400 },
    },
  ],
  signatureHeaders: [
    'x-adobe-digital-signature-1',
    'x-adobe-digital-signature-2',
    'x-adobe-public-key1-path',
    'x-adobe-public-key2-path',
  ],
  keepHeaders: ['x-adobe-retry-count', 'x-adobe-event-id', 'x-adobe-event-code', 'x-adobe-provider'],
  settings: { clientId: 'Client id (API key) of the project' },
  retries:
    'For 24 hours: after one minute, then twice as long each time up to 15 minutes. A registration that keeps failing becomes unstable, then disabled.',
  setup:
    'Adobe Developer Console, the project, Add event registration: this URL as webhook, one event at a time; Adobe calls with a challenge. There is no secret.',
};
