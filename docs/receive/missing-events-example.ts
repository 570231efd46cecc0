/** Example: two sources that are compared with what their providers say they delivered. */
import { defineGateway } from 'holdfast';

export const gateway = defineGateway({
  sources: {
    stripe: { provider: 'stripe', reconcile: { types: ['invoice.*', 'charge.refunded'] } },
    github: { provider: 'github', reconcile: { hooks: ['repos/acme/shop/hooks/12345'], everyMinutes: 30 } },
  },
  environments: { prod: {} },
});
