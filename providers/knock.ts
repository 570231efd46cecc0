import type { ProviderSpec } from 'holdfast';
import { timedHmac } from './schemes/hmac-schemes.ts';

export const knock: ProviderSpec = {
  id: 'knock',
  title: 'Knock',
  docs: 'https://docs.knock.app/developer-tools/outbound-webhooks/overview',
  checkedOn: '2026-11-27',
  source: 'knocklabs/docs, content/developer-tools/outbound-webhooks/overview.mdx.',
  unconfirmed: ['new time on retries', 'what tells events apart (they have no id)', 'deadline'],
  verify: [timedHmac('x-knock-signature', { key: 's', encoding: 'base64', unit: 'ms' })],
  identity: {
    // The time has microseconds; a batch changes many messages at one.
    key: [['json:type', 'json:created_at', 'json:data.id?', 'json:data.key?']],
    type: ['json:type'],
    time: { from: 'json:created_at', unit: 'iso8601' },
    ordering: ['json:data.id', 'json:data.key'],
  },
  ips: {
    ranges: ['3.138.92.104/32', '18.116.161.231/32', '3.19.195.170/32'],
    readOn: '2026-11-27',
    from: 'https://docs.knock.app/developer-tools/outbound-webhooks/overview',
    copied: true,
  },
  keepHeaders: ['x-knock-event', 'x-knock-environment-id'],
  retries: 'Eight attempts in all, after anything but 2xx.',
  setup:
    'Knock dashboard, Platform, Webhooks, Create webhook: this URL and the events; its page shows the secret key, which is the secret. One source per environment.',
};
