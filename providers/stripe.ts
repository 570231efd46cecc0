import type { ProviderSpec } from 'holdfast';
import { stripeTypes } from './known-types/stripe.ts';
import { timedHmac } from './schemes/hmac-schemes.ts';

export const stripe: ProviderSpec = {
  id: 'stripe',
  title: 'Stripe',
  docs: 'https://docs.stripe.com/webhooks',
  checkedOn: '2026-11-22',
  unconfirmed: ['retries', 'both secrets signing after a roll', 'deadline'],
  verify: [timedHmac('stripe-signature')],
  identity: {
    key: [['json:id']],
    type: ['json:type'],
    // A thin event (API v2) has a text as its time, and only names the object.
    time: [
      { from: 'json:created', unit: 's' },
      { from: 'json:created', unit: 'iso8601' },
    ],
    ordering: ['json:data.object.id', 'json:related_object.id'],
  },
  types: { character: '[a-z0-9_.[\\]]', example: 'invoice.paid', known: stripeTypes },
  ips: {
    ranges: [
      '3.18.12.63/32',
      '3.69.109.8/32',
      '3.120.168.93/32',
      '3.130.192.231/32',
      '13.235.14.237/32',
      '13.235.122.149/32',
      '18.211.135.69/32',
      '35.154.171.200/32',
      '35.157.207.129/32',
      '52.15.183.38/32',
      '54.88.130.119/32',
      '54.88.130.237/32',
      '54.187.174.169/32',
      '54.187.205.235/32',
      '54.187.216.72/32',
    ],
    readOn: '2026-11-21',
    from: 'https://stripe.com/files/ips/ips_webhooks.json',
    at: 'WEBHOOKS',
    copied: true,
  },
  retries: 'Live mode: up to three days with growing waits, each attempt with a new time. Redirects count as failures.',
  setup:
    'Stripe Dashboard, Workbench, Webhooks: add an event destination with this URL, choose the events, then reveal its signing secret (whsec_…). Test mode, live mode and the Stripe CLI each have their own. A rolled secret: Stripe signs with both for up to 24 hours.',
};
