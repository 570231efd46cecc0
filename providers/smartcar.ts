import type { ProviderSpec } from 'holdfast';

export const smartcar: ProviderSpec = {
  id: 'smartcar',
  title: 'Smartcar',
  docs: 'https://smartcar.com/docs/integrations/webhooks/overview',
  checkedOn: '2026-11-27',
  source: "smartcar/python-sdk, smartcar/smartcar.py. Event fields and eventId that stays: Hookdeck's description.",
  unconfirmed: ['the field that dates', 'deadline', 'number of retries'],
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:sc-signature' },
      encoding: 'hex',
      message: '{body}',
      // The challenge below is answered with the same key: a body that could be one is refused.
      guard: { rejectMessage: '^[A-Za-z0-9_-]+$' },
    },
  ],
  identity: {
    key: [['json:eventId']],
    type: ['json:eventType'],
    ordering: 'json:vehicleId',
    // meta.deliveryId and meta.deliveredAt are those of the attempt.
    unstableBody: true,
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 15_000 },
  handshakes: [
    {
      when: { method: 'POST', jsonEquals: { eventType: 'VERIFY', 'data.challenge': '*' } },
      verify: 'none',
      guard: { src: 'json:data.challenge', accept: '^[A-Za-z0-9_-]{8,128}$' },
      respond: {
        status: 200,
        contentType: 'application/json',
        body: '{"challenge":"{hmac(sha256,hex,json:data.challenge)}"}',
        elseStatus: 401,
      },
    },
  ],
  retries: 'With growing waits after anything but 2xx.',
  setup:
    'Smartcar Dashboard, Webhooks: this URL and the signals; Smartcar asks it for a challenge at once. The secret is the Application Management Token (Configuration), not the client secret.',
};
