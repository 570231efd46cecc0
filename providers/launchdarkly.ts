import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const launchdarkly: ProviderSpec = {
  id: 'launchdarkly',
  title: 'LaunchDarkly',
  docs: 'https://launchdarkly.com/docs/home/infrastructure/webhooks',
  checkedOn: '2026-11-27',
  source:
    "An OpenAPI description, Sentry's integration and four receivers agree; event fields: samples of Sentry's tests.",
  unconfirmed: ['deadline', 'event fields'],
  verify: [bodyHmac('x-ld-signature', 'hex')],
  identity: {
    // An entry of the audit log.
    key: [['json:_id']],
    type: ['json:kind', 'json:accesses.0.action'],
    typeJoin: '.',
    time: { from: 'json:date', unit: 'ms' },
    ordering: 'json:target._links.canonical.href',
  },
  types: { character: '[A-Za-z.-]', example: 'flag.updateOn' },
  retries: 'Not known.',
  setup:
    'LaunchDarkly, create a webhook with this URL and have it signed, which shows the secret. Leave the default payload: the fields below are those of an audit log entry.',
};
