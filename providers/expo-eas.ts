import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const expoEas: ProviderSpec = {
  id: 'expo-eas',
  title: 'Expo Application Services (EAS)',
  docs: 'https://docs.expo.dev/eas/webhooks/',
  checkedOn: '2026-11-27',
  source: 'expo/expo, docs/pages/eas/webhooks.mdx.',
  unconfirmed: ['number of retries', 'deadline', 'what tells events apart'],
  verify: [bodyHmac('expo-signature', 'hex', { alg: 'hmac-sha1', parse: { prefix: 'sha1=' } })],
  identity: {
    // One for each build or submission, when it ends. One that is tried again is another.
    key: [['json:id', 'json:status']],
    type: ['json:status'],
    time: { from: 'json:completedAt', unit: 'iso8601' },
    ordering: 'json:appId',
  },
  types: { character: '[a-z]', example: 'finished' },
  retries: 'A few with growing waits, unless the answer is 200 to 399.',
  setup:
    "In the project's folder: eas webhook:create, event BUILD or SUBMIT, this URL, and a secret you choose (16 characters or more).",
};
