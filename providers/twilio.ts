import type { ProviderSpec } from 'holdfast';

export const twilio: ProviderSpec = {
  id: 'twilio',
  title: 'Twilio',
  docs: 'https://www.twilio.com/docs/usage/webhooks/webhooks-security',
  checkedOn: '2026-11-21',
  unconfirmed: ['that every Twilio product sends I-Twilio-Idempotency-Token'],
  verify: [
    {
      id: 'twilio-form',
      alg: 'hmac-sha1',
      when: { queryMissing: ['bodySHA256'] },
      sig: { from: 'header:x-twilio-signature' },
      encoding: 'base64',
      message: '{url}{formSorted}',
      url: { base: 'configured', variants: 'twilio' },
    },
    {
      id: 'twilio-json',
      alg: 'hmac-sha1',
      when: { queryPresent: ['bodySHA256'] },
      sig: { from: 'header:x-twilio-signature' },
      encoding: 'base64',
      message: '{url}',
      url: { base: 'configured', variants: 'twilio' },
      bind: [{ equals: 'query:bodySHA256', hash: 'sha256', encoding: 'hex' }],
    },
  ],
  identity: {
    // The token is unsigned, yet first: one call is reported many times with the same Sid and status.
    key: [['header:i-twilio-idempotency-token'], ['hash:body']],
    type: [
      'form:EventType',
      'form:StatusCallbackEvent',
      'form:MessageStatus',
      'form:SmsStatus',
      'form:CallStatus',
      'json:EventType',
      'json:type',
    ],
    ordering: 'form:MessageSid',
  },
  ack: { status: 200, contentType: 'text/xml', body: '<Response/>', rejectStatus: 403, deadlineMs: 15_000 },
  retries:
    'None by default: a failed voice or message webhook goes to the fallback URL. Overrides after # in the URL ask for more (#rc=2&rp=all).',
  setup:
    "Twilio Console: set this URL, method POST, on the number, messaging service or application, exactly as the source has it, with its query, without the part after #. The secret is the account's Auth Token (Account, API keys & tokens). The answer is empty TwiML: handlers reply and act on calls through the API.",
};
