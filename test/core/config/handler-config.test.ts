import { describe, expect, it } from 'vitest';
import { checkHandlerSources, unsentTypes } from '#core/config/handler-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { defineHandlers, done } from '#core/handler/handler-contract.ts';
import { PROVIDERS } from '#providers/index.ts';

const SOURCES = ['stripe', 'github', 'shopify', 'dropbox', 'figma', 'sendgrid', 'paddle'];
const deployment = resolveDeployment(
  { sources: Object.fromEntries(SOURCES.map(provider => [provider, { provider }])), environments: { prod: {} } },
  'prod',
  PROVIDERS,
);
const handlersOf = (source: string, type: string) => defineHandlers([{ source, type, handle: async () => done() }]);

describe('the source of a handler', () => {
  it('is one that is configured, or a problem that names the right one', () => {
    expect(checkHandlerSources(deployment, handlersOf('strpe', 'invoice.paid'))).toEqual([
      {
        path: 'handlers/index.ts, handler of "invoice.paid"',
        given: 'source "strpe", which is not in `sources`',
        allowed: '*, stripe, github, shopify, dropbox, figma, sendgrid, paddle',
        fix: 'did you mean stripe?',
      },
    ]);
    expect(checkHandlerSources(deployment, handlersOf('zzzzzzzz', '*'))[0]?.fix).toMatch(/add it to `sources`/);
  });

  it.each(['stripe', '*'])('may be %s', source => {
    expect(checkHandlerSources(deployment, handlersOf(source, 'invoice.paid'))).toEqual([]);
  });

  it('is not known of a registry that somebody else made', () => {
    expect(checkHandlerSources(deployment, { find: () => undefined })).toEqual([]);
  });
});

describe('the type of a handler', () => {
  it.each([
    ['stripe', 'INVOICE_PAID', /Stripe has "I" in it; they look like "invoice\.paid"/],
    ['stripe', 'invoice/*', /has "\/" in it/],
    ['github', 'issues:opened', /has ":" in it; they look like "pull_request\.opened"/],
    ['github', 'ping', /to test the address/],
    ['shopify', 'ORDERS_CREATE', /they look like "orders\/create"/],
    ['figma', 'PING', /to test the address/],
    ['dropbox', 'file.changed', /names no type in its requests; write type: '\*'/],
    ['sendgrid', 'sendgrid.batch', /is split, and the handlers of its events run/],
  ])('of %s %s gets a warning', (source, type, words) => {
    expect(unsentTypes(deployment, handlersOf(source, type))).toEqual([expect.stringMatching(words)]);
  });

  it.each([
    [
      'stripe',
      'charge.suceeded',
      /may never run: did you mean "charge\.succeeded"\? It is not among the \d{3} types of Stripe/,
    ],
    ['stripe', 'invioce.*', /may never run: did you mean "invoice\.\*"/],
    ['github', 'pull_request.open', /did you mean "pull_request\.opened"/],
    ['github', 'pullrequest', /did you mean "pull_request"/],
    ['paddle', 'transaction.complete', /did you mean "transaction\.completed"/],
    ['stripe', 'order.shipped', /If it is newer, ignore this\.$/],
  ])('of %s %s, which the list of the provider does not have, gets one that leaves room', (source, type, words) => {
    expect(unsentTypes(deployment, handlersOf(source, type))).toEqual([expect.stringMatching(words)]);
  });

  it.each([
    ['stripe', 'invoice.*'],
    ['stripe', 'unknown'],
    ['stripe', 'v2.core.account[requirements].updated'],
    ['github', 'pull_request.opened'],
    ['github', '*'],
    ['shopify', 'customer.tags_added'],
    ['figma', 'FILE_UPDATE'],
    ['dropbox', '*'],
    ['dropbox', 'unknown'],
    ['sendgrid', 'delivered'],
    ['*', 'INVOICE_PAID'],
  ])('of %s %s gets none', (source, type) => {
    expect(unsentTypes(deployment, handlersOf(source, type))).toEqual([]);
  });
});
