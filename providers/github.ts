import type { ProviderSpec } from 'holdfast';
import { githubTypes } from './known-types/github.ts';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const github: ProviderSpec = {
  id: 'github',
  title: 'GitHub',
  docs: 'https://docs.github.com/en/webhooks',
  checkedOn: '2026-11-21',
  verify: [bodyHmac('x-hub-signature-256', 'hex', { parse: { prefix: 'sha256=' } })],
  identity: {
    key: [['header:x-github-delivery']],
    type: ['header:x-github-event', 'json:action'],
    typeJoin: '.',
  },
  types: { character: '[a-z_.]', example: 'pull_request.opened', known: githubTypes },
  handshakes: [
    {
      when: { method: 'POST', header: { 'x-github-event': 'ping' } },
      verify: 'signature',
      respond: { status: 200, contentType: 'text/plain', body: 'pong' },
    },
  ],
  ips: {
    ranges: [
      '192.30.252.0/22',
      '185.199.108.0/22',
      '140.82.112.0/20',
      '143.55.64.0/20',
      '2a0a:a440::/29',
      '2606:50c0::/32',
    ],
    readOn: '2026-11-21',
    from: 'https://api.github.com/meta',
    at: 'hooks',
    copied: true,
  },
  signatureHeaders: ['x-hub-signature-256', 'x-hub-signature'],
  keepHeaders: ['x-github-hook-id', 'x-github-hook-installation-target-id'],
  retries: 'None. A person or script can redeliver the last three days; the delivery id stays.',
  setup:
    'Repository, organisation or app settings, Webhooks, Add webhook: this URL, content type application/json, and a long random secret you choose.',
};
