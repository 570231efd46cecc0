import type { ProviderSpec } from 'holdfast';

export const onfleet: ProviderSpec = {
  id: 'onfleet',
  title: 'Onfleet',
  docs: 'https://docs.onfleet.com/reference/secrets',
  checkedOn: '2026-11-27',
  source:
    'docs.onfleet.com (webhook authentication, webhooks, payload examples), gem ruby-onfleet. Signature in hex: three receivers agree; answering the check with its text: two.',
  unconfirmed: ['same time on retries (else it runs again)', 'deadline'],
  verify: [
    {
      alg: 'hmac-sha512',
      sig: { from: 'header:x-onfleet-signature' },
      encoding: 'hex',
      key: { encoding: 'hex' },
      message: '{body}',
    },
  ],
  identity: {
    key: [
      ['json:triggerId', 'json:taskId', 'json:time'],
      ['json:triggerId', 'json:workerId', 'json:time'],
      ['hash:body'],
    ],
    type: ['json:triggerName'],
    time: { from: 'json:time', unit: 'ms' },
    ordering: ['json:taskId', 'json:workerId'],
  },
  handshakes: [
    {
      when: { method: 'GET', query: { check: '*' } },
      verify: 'none',
      guard: { src: 'query:check', accept: '^[A-Za-z0-9_.~+/=-]{1,256}$' },
      respond: { status: 200, contentType: 'text/plain', body: '{echo(query:check)}', elseStatus: 400 },
    },
  ],
  retries: 'Every 30 minutes for a day after anything but 200.',
  setup:
    "Onfleet Dashboard, Settings, API & Webhooks, or POST /webhooks: this URL and one trigger each. The secret is the webhook secret shown there, in hex; an organization's webhooks share it.",
};
