/**
 * The configuration of the end-to-end tests that go through every family of signing schemes. In the copy of the app that
 * is deployed there, this file is gateway.config.ts and the shipped one is shipped.config.ts.
 */

import { defineGateway } from 'holdfast';
import { gateway as shipped } from '#test/fixtures/project/gateway.config.ts';

/** A provider for each. Not here: schemes whose key is fetched from its publisher, whom nothing on this machine can be. */
export const SCHEME_FAMILIES: Readonly<Record<string, string>> = {
  'HMAC-SHA1 over the URL and sorted form fields': 'twilio',
  'HMAC-SHA256 over the URL and the body': 'square',
  'HMAC-SHA256 over a list of signed headers': 'contentful',
  'HMAC-SHA256 in numbered headers': 'docusign',
  'HMAC-SHA256 of each item of a batch, inside it': 'adyen',
  'HMAC-SHA256 of a token inside the body': 'mailgun',
  'a digest over secret and body': 'hubspot-legacy',
  Ed25519: 'standard-webhooks-v1a',
  'ECDSA P-256 over time and body': 'sendgrid',
  'RSA-SHA256 with a pasted key': 'wise',
  'a JWT with hashes of body and URL': 'messagebird',
  'a token in a header': 'gitlab',
  'Basic authentication': 'postmark',
};

/** Stands for the address of outside-world.ts, which is known when it listens. */
export const OUTSIDE_ADDRESS = 'http://127.0.0.1:9';

const arn = (service: string, resource: string): string => `arn:aws:${service}:us-east-1:000000000000:${resource}`;
export const BUS = arn('events', 'event-bus/routed');
export const QUEUE = arn('sqs', 'routed.fifo');
export const TOPIC = arn('sns', 'routed');
export const MACHINE = arn('states', 'stateMachine:routed');

/** Of mails to contacts. */
export const SENDER = 'alerts@acme.example';

const families = Object.values(SCHEME_FAMILIES).map(provider => [provider, { provider }]);

export const gateway = defineGateway({
  sources: { ...shipped.sources, ...Object.fromEntries(families) },
  // Fewer alarms: the deployment of all of them is what `npm start` shows.
  environments: {
    local: {
      publicUrl: 'https://hooks.example.com',
      alarms: 'essential',
      // Short waits: an endpoint on hold is tried again while the tests run.
      outbound: {
        longestHoldSeconds: 8,
        portal: { name: 'End to end' },
        contacts: true,
        email: { from: SENDER },
      },
      routes: {
        default: {
          'routed.*': [BUS, QUEUE, TOPIC, `${OUTSIDE_ADDRESS}/hooks`],
          'routed.started': [MACHINE],
          'invoice.forwarded': ['outbound:e2e'],
        },
      },
    },
  },
});
