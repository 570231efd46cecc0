import type { ProviderSpec } from 'holdfast';
import { paddleTypes } from './known-types/paddle.ts';

export const paddle: ProviderSpec = {
  id: 'paddle',
  title: 'Paddle Billing',
  docs: 'https://developer.paddle.com/webhooks/respond-to-webhooks',
  checkedOn: '2026-11-22',
  verify: [
    {
      alg: 'hmac-sha256',
      sig: { from: 'header:paddle-signature', parse: { item: ';', kv: '=', key: 'h1', single: ['ts'] } },
      encoding: 'hex',
      message: '{ts}:{body}',
      // The SDK allows 5 s; clocks and cold starts differ by more.
      time: { from: 'sig:ts', unit: 's', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    key: [['json:event_id']],
    type: ['json:event_type'],
    time: { from: 'json:occurred_at', unit: 'iso8601' },
    ordering: 'json:data.id',
  },
  types: { character: '[a-z_.]', example: 'transaction.completed', known: paddleTypes },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  ips: {
    ranges: [
      '34.232.58.13/32',
      '34.195.105.136/32',
      '34.237.3.244/32',
      '35.155.119.135/32',
      '52.11.166.252/32',
      '34.212.5.7/32',
    ],
    readOn: '2026-11-22',
    from: 'https://api.paddle.com/ips',
    at: 'data.ipv4_cidrs',
  },
  retries: 'Live: 60 over three days with growing waits. Sandbox: three over 15 minutes.',
  setup:
    'Paddle, Developer tools, Notifications, New destination: this URL and the events; the endpoint secret key (pdl_ntfset_…) is shown there. The addresses are of live accounts; the sandbox has others.',
};
