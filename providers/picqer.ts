import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const picqer: ProviderSpec = {
  id: 'picqer',
  title: 'Picqer',
  docs: 'https://picqer.com/en/api/webhooks',
  checkedOn: '2026-11-27',
  source: "picqer/picqer-php, src/PicqerWebhook.php. Deadline, retries: Hookdeck's description.",
  unconfirmed: ['zone of event_triggered_at (so it is not read as a time)', 'the deadline of ten seconds', 'retries'],
  verify: [bodyHmac('x-picqer-signature', 'base64')],
  // Events have no id, and their time is in seconds: two changes of one second differ in their data.
  identity: { key: [['hash:body']], type: ['json:event'] },
  retries: 'Up to 15 in about 17 hours. A hook that fails so five times in a day is switched off.',
  setup:
    'Picqer, Settings, Webhooks, or POST /api/v1/hooks: this URL, one event, and a secret you choose; without one nothing is signed.',
};
