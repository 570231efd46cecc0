/** The two configurations whose bundles are run: one with everything on, and the one that a new project has. */
import type { GatewayConfig } from '#core/config/gateway-config.ts';
import { generic } from '#providers/generic.ts';
import { gateway as shipped } from '#test/fixtures/project/gateway.config.ts';

export const REGION = 'eu-central-1';
export const ACCOUNT = '111111111111';
const arn = (service: string, resource: string): string => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;

/** Where events of each kind of target go. All of one type, so that one event reaches them all. */
export const TARGETS = {
  bus: arn('events', 'event-bus/routed'),
  queue: arn('sqs', 'routed.fifo'),
  topic: arn('sns', 'routed'),
  function: arn('lambda', 'function:routed'),
  machine: arn('states', 'stateMachine:routed'),
};
/** The customer that routed events are published to, too. */
export const ROUTED_CUSTOMER = 'routed';
export const ROUTED_TYPE = 'routed.event';

export type StageName = 'everything' | 'default' | 'sending' | 'customers';
export const MAY_CALL_THIS_MACHINE: readonly StageName[] = ['sending', 'customers'];

const sendingIn = (environment: string): GatewayConfig => ({
  sources: { default: { provider: 'generic' } },
  environments: {
    [environment]: {
      account: ACCOUNT,
      region: REGION,
      outbound: { portal: { name: 'Acme' }, contacts: true },
      routes: { default: { [ROUTED_TYPE]: [`outbound:${ROUTED_CUSTOMER}`] } },
    },
  },
});

/**
 * `everything`: each option that puts code into a bundle. `default`: what a person has who changes nothing. `sending`: the
 * sending half where a customer's endpoint may be on this machine, which the others refuse; `customers` is the same once
 * more, because the journeys of one go one after the other.
 */
export const CONFIGURATIONS: Readonly<Record<StageName, GatewayConfig>> = {
  everything: {
    sources: {
      github: { provider: 'github' },
      shopify: { provider: 'shopify' },
      // With its text more than twenty kilobytes of specs: ingest reads each source from a file of its own.
      wordy: { provider: { ...generic, id: 'wordy', docs: `https://example.com/${'long'.repeat(6_000)}` } },
      default: { provider: 'generic', searchable: { order: '/order' }, apiCredential: true },
      signed: { provider: 'standard-webhooks-v1a' },
      stripe: { provider: 'stripe', reconcile: { types: ['*'] } },
      busy: { provider: 'generic', throttle: 5_000 },
    },
    environments: {
      everything: {
        account: ACCOUNT,
        region: REGION,
        publicUrl: 'https://hooks.example.com',
        probe: true,
        edge: { apiUrl: `https://a1b2c3.execute-api.${REGION}.amazonaws.com`, requestsPerMinute: 2_000 },
        otlp: { endpoint: 'http://127.0.0.1:1' },
        outbound: { portal: { name: 'Acme' } },
        alarmTargets: { page: [{ email: 'oncall@example.com' }] },
        routes: { default: { [ROUTED_TYPE]: [...Object.values(TARGETS), `outbound:${ROUTED_CUSTOMER}`] } },
      },
    },
  },
  default: {
    sources: shipped.sources,
    environments: { default: { account: ACCOUNT, region: REGION } },
  },
  sending: sendingIn('sending'),
  customers: sendingIn('customers'),
};
