/**
 * The one file to edit: what you receive (sources) and where it runs (environments). Checked as a whole at synth: every
 * mistake is named with its fix. What each key means and its default: core/config/gateway-config.ts.
 */
import { defineGateway } from 'holdfast';

export const gateway = defineGateway({
  sources: {
    // For senders you write yourself. Answers at /webhooks/default and at /webhook.
    default: { provider: 'generic' },
    stripe: { provider: 'stripe' },
    github: { provider: 'github' },
    shopify: { provider: 'shopify' },
    slack: { provider: 'slack' },
    'standard-webhooks': { provider: 'standard-webhooks' },
  },
  environments: {
    // Runs on a laptop: npm start.
    // With webhooks to customers: npm start shows a delivery, too, and what the customer sees of it.
    local: { outbound: { portal: { name: 'Sample' } } },
    // Account and region of your AWS credentials, unless given: account: '123456789012', region: 'eu-central-1'.
    dev: { alarms: 'essential' },
    staging: {},
    prod: {
      // The origin you give to providers, once a domain points at the API: publicUrl: 'https://hooks.example.com'.
      // Webhooks to your own customers, beside those that you receive: outbound: {}.
      // Who is told (until this is set, synth, deploy and doctor say that nobody is): alarmTargets: { page: [{ email: 'oncall@example.com' }], ticket: [{ email: 'team@example.com' }] }.
    },
  },
});
