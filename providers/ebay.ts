import type { ProviderSpec } from 'holdfast';

export const ebay: ProviderSpec = {
  id: 'ebay',
  title: 'eBay notifications',
  docs: 'https://developer.ebay.com/marketplace-account-deletion',
  checkedOn: '2026-11-21',
  unconfirmed: [
    'Which fields identify, name and date an event.',
    'How often a failed notification is repeated.',
    'The deadline of an answer.',
  ],
  // The signature needs a key fetched with an OAuth token of the account: the handler checks it.
  strength: 'none',
  verify: [],
  identity: {
    key: [['json:notification.notificationId'], ['hash:body']],
    type: ['json:metadata.topic'],
    time: { from: 'json:notification.eventDate', unit: 'iso8601' },
    // publishAttemptCount counts the deliveries.
    unstableBody: true,
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [
    {
      when: { method: 'GET', query: { challenge_code: '*' } },
      verify: 'none',
      guard: { src: 'query:challenge_code', accept: '^[A-Za-z0-9_-]{1,256}$' },
      respond: {
        status: 200,
        contentType: 'application/json',
        body: '{"challengeResponse":"{hash(sha256,hex,query:challenge_code,config:verificationToken,url)}"}',
        elseStatus: 400,
      },
    },
  ],
  methods: ['POST', 'GET'],
  signatureHeaders: ['x-ebay-signature'],
  keepHeaders: ['x-ebay-signature'],
  settings: { verificationToken: 'The verification token entered at eBay: 32 to 80 letters, digits, _ and -' },
  retries: 'Several times; eBay marks an endpoint down that does not acknowledge for 24 hours.',
  setup:
    'eBay developer account, Application Keys, Alerts and Notifications: this URL and a verification token of your own making; eBay calls with a challenge. Notifications are signed (X-EBAY-SIGNATURE) with a key that only an OAuth call of your application can fetch, which this gateway does not do: the header is kept with the event, and your handler must check it or look the fact up before it acts.',
};
