/** Example: a configuration whose production environment routes events instead of handling them. */
import { defineGateway } from 'holdfast';

export const gateway = defineGateway({
  sources: { stripe: { provider: 'stripe' }, github: { provider: 'github' } },
  environments: {
    local: {
      // A service on this machine: plain http is for loopback addresses in `local` only.
      routes: { stripe: { 'invoice.*': ['http://127.0.0.1:8080/hooks'] } },
    },
    prod: {
      region: 'eu-central-1',
      routes: {
        stripe: {
          'invoice.*': [
            'arn:aws:events:eu-central-1:123456789012:event-bus/billing',
            'arn:aws:sqs:eu-central-1:123456789012:invoices.fifo',
            'https://billing.example.com/hooks',
          ],
          'charge.dispute.created': ['arn:aws:states:eu-central-1:123456789012:stateMachine:dispute'],
        },
        github: { '*': ['arn:aws:sns:eu-central-1:123456789012:repository-events'] },
      },
    },
  },
});
