import type { ProviderSpec } from 'holdfast';

export const ebay: ProviderSpec = {
  id: 'ebay',
  title: 'eBay notifications',
  docs: 'https://developer.ebay.com/marketplace-account-deletion',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'number of retries', 'deadline'],
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
  signatureHeaders: ['x-ebay-signature'],
  keepHeaders: ['x-ebay-signature'],
  settings: { verificationToken: 'The token entered at eBay: 32 to 80 letters, digits, _ and -' },
  retries: 'Several; an endpoint that does not acknowledge for 24 hours is marked down.',
  setup:
    "eBay developer account, Application Keys, Alerts and Notifications: this URL and a verification token you choose; eBay calls with a challenge. X-EBAY-SIGNATURE is not checked, since only your application's OAuth call can fetch its key: the handler must check it (it is kept with the event) or look the fact up.",
};
