import type { ProviderSpec } from 'holdfast';

export const appStore: ProviderSpec = {
  id: 'app-store',
  title: 'Apple App Store Server Notifications (version 2)',
  docs: 'https://developer.apple.com/documentation/appstoreservernotifications',
  checkedOn: '2026-11-23',
  source: 'apple/app-store-server-library-node, jws_verification.ts and models.',
  unconfirmed: ['retries', 'deadline'],
  strength: 'signed',
  verify: [
    {
      alg: 'jwt',
      sig: { from: 'json:signedPayload' },
      jwtAlg: 'ES256',
      key: {
        provider: 'x5c',
        chain: {
          // Apple Root CA - G3, www.apple.com/certificateauthority.
          roots: ['63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179'],
          // 1.2.840.113635.100.6.11.1 and 1.2.840.113635.100.6.2.1
          leafExtension: '2a864886f76364060b01',
          issuerExtension: '2a864886f76364060201',
        },
      },
      // Apple signs for every developer with the same certificates: only the own app counts.
      claims: { 'data.bundleId|summary.bundleId|externalPurchaseToken.bundleId|appData.bundleId': 'config:bundleId' },
      timeless: true,
    },
  ],
  identity: {
    key: [['claim:notificationUUID']],
    type: ['claim:notificationType', 'claim:subtype'],
    typeJoin: '.',
    time: { from: 'claim:signedDate', unit: 'ms' },
  },
  settings: { bundleId: 'Bundle id of the app, e.g. com.example.app' },
  retries: 'Five times: after 1, 12, 24, 48 and 72 hours; none in the sandbox. notificationUUID stays.',
  setup:
    "App Store Connect, the app, App Information, App Store Server Notifications: this URL for production and sandbox, version 2. There is no secret: certificates in the notification must lead to Apple's root. The handler decodes the middle part of signedPayload and checks data.environment: sandbox purchases are not paid for.",
};
