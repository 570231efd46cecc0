import type { ProviderSpec } from 'holdfast';

export const mercadoPago: ProviderSpec = {
  id: 'mercado-pago',
  title: 'Mercado Pago',
  docs: 'https://www.mercadopago.com/developers/en/docs/your-integrations/notifications/webhooks',
  checkedOn: '2026-11-23',
  source:
    'mercadopago/sdk-nodejs, src/utils/webhook/index.ts. Its pages sign ids with letters in lower case: both forms are taken.',
  unconfirmed: ['retries', 'deadline'],
  strength: 'origin',
  verify: [
    {
      // An id with letters, in lower case.
      id: 'mercado-pago-lower',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-signature', parse: { item: ',', kv: '=', key: 'v1', single: ['ts'] } },
      encoding: 'hex',
      message: 'id:{lower(query:data.id)};request-id:{header:x-request-id};ts:{ts};',
      time: { from: 'sig:ts', unit: 'ms', signed: true },
    },
    {
      id: 'mercado-pago',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-signature', parse: { item: ',', kv: '=', key: 'v1', single: ['ts'] } },
      encoding: 'hex',
      message: 'id:{query:data.id};request-id:{header:x-request-id};ts:{ts};',
      // Milliseconds, formerly seconds. No window: repetitions come for days, and whether they are signed anew is not documented.
      time: { from: 'sig:ts', unit: 'ms', signed: true },
    },
  ],
  identity: {
    // The body is not signed: what is signed is the id of the object, so it is part of the key.
    key: [['query:data.id', 'json:id', 'json:action?']],
    type: ['json:action', 'json:type'],
    time: { from: 'json:date_created', unit: 'iso8601' },
    ordering: 'query:data.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 22_000 },
  retries: 'After 15 minutes, 30 minutes, 6 hours, 48 hours, then every 96 hours.',
  setup:
    'Your integrations, the application, Webhooks: this URL and the events. The secret is the secret signature shown there. Handlers read the object that the query names (header holdfast-query) through the API.',
};
