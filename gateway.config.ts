/**
 * The one file to edit: what you receive (sources) and where it runs (environments). Checked as a whole at synth; every
 * key is explained in core/config/gateway-config.ts and in docs/configuration.md.
 */
import { defineGateway } from './core/config/gateway-config.ts';

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
    local: {},
    dev: {},
    staging: {},
    prod: {},
  },
});
