import { expect, it } from 'vitest';
import { toSourceId } from '#core/glossary.ts';
import { defineHandlers, done } from '#core/handler/handler-contract.ts';
import type { RoutePorts } from '#core/inbound/routing/route-event.ts';
import { withRoutes } from '#core/inbound/routing/with-routes.ts';

const handle = async () => done();
const registry = withRoutes(
  defineHandlers([
    { source: 'stripe', type: 'invoice.paid', handle },
    { source: 'stripe', type: 'charge.*', handle },
    { source: 'stripe', type: 'both', handle },
    { source: '*', type: 'customer.created', handle },
  ]),
  [
    {
      id: toSourceId('stripe'),
      routes: ['*', 'invoice.*', 'charge.dispute.*', 'both'].map(type => ({ type, targets: [] })),
    },
    { id: toSourceId('github') },
  ],
  {} as RoutePorts,
);

it.each([
  ['stripe', 'invoice.paid', 'stripe:invoice.paid'],
  ['stripe', 'invoice.created', 'route stripe:invoice.*'],
  ['stripe', 'charge.created', 'stripe:charge.*'],
  ['stripe', 'charge.dispute.created', 'route stripe:charge.dispute.*'],
  ['stripe', 'anything', 'route stripe:*'],
  // A route names its source.
  ['stripe', 'customer.created', 'route stripe:*'],
  ['stripe', 'both', 'stripe:both'],
  ['github', 'customer.created', '*:customer.created'],
  ['github', 'push', undefined],
])('for %s %s runs %s', (source, type, wanted) => {
  const found = registry.find(toSourceId(source), type);
  expect(found && (found.name ?? `${found.source}:${found.type}`)).toBe(wanted);
});
