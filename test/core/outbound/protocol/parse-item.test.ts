/**
 * Claim: what an earlier version of the sending half stored is read and worked with, and half an item decides nothing. Each
 * file of test/fixtures/stored/sending/ has items that the journeys left in the tables of that version.
 */
import { describe, expect, it } from 'vitest';
import { fromAttributes } from '#adapters/dynamodb/marshal.ts';
import { DependencyError } from '#core/errors.ts';
import type { Item, OutboundTable, Placed } from '#core/outbound/ports.ts';
import type { EndpointItem, MessageItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import { parseItem } from '#core/outbound/protocol/parse-item.ts';
import { MINUTE_MS } from '#core/time.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';
import { storedSamples } from '#test/kit/samples/stored-samples.ts';

const TABLES = ['registry', 'outbox'] as const;

describe.each(storedSamples('sending'))('stored by $version', ({ tables }) => {
  const of = (table: OutboundTable) => (tables[table] ?? []).map(item => fromAttributes<Placed<Item>>(item));
  const find = <T>(table: OutboundTable, pk: string, sk: string): Placed<T> => {
    const found = of(table).find(item => item.pk.startsWith(pk) && item.sk.startsWith(sk));
    if (found === undefined) throw new Error(`The samples have no ${pk} ${sk}`);
    return found as Placed<T>;
  };

  it('every item is read as it is, of every kind', () => {
    const kinds = new Set<string>();
    for (const table of TABLES)
      for (const item of of(table)) {
        expect(parseItem(table, item)).toEqual(item);
        kinds.add(`${table} ${item.pk.slice(0, 2)}`);
      }
    const registry = ['A#', 'C#', 'J#', 'R#', 'S#'].map(pk => `registry ${pk}`);
    expect([...kinds].sort()).toEqual([...['D#', 'M#', 'Q#', 'T#'].map(pk => `outbox ${pk}`), ...registry]);
  });

  it('an item that lacks what its kind needs is refused by name, whichever attribute it is', () => {
    const runtime = find<RuntimeItem>('registry', 'R#', 'META');
    const { gate: _, dead: __, ...half } = runtime;
    expect(() => parseItem('registry', half)).toThrow(
      new DependencyError(
        'dynamodb',
        `the item ${runtime.pk} META has no gate, dead: a version that this one does not know wrote it; deploy that version`,
      ),
    );
    const { url: ___, ...endpoint } = find<EndpointItem>('registry', 'A#', 'E#');
    expect(() => parseItem('registry', endpoint)).toThrow('has no url');
    const { answerBody: ____, ...attempt } = find<Item>('outbox', 'T#', '0');
    expect(parseItem('outbox', attempt)).toEqual(attempt);
    expect(() => parseItem('outbox', { ...attempt, class: undefined })).toThrow('has no class');
  });

  it('what waited is delivered, beside an endpoint whose item cannot be read', async () => {
    const world = new OutboundWorld({ publishes: 'direct', longPolling: true });
    const endpoint = find<EndpointItem>('registry', 'A#', 'E#');
    const message = find<MessageItem>('outbox', 'M#', 'META');
    const runtime = find<RuntimeItem>('registry', `R#${endpoint.id}`, 'META');
    const broken = { pk: 'R#ep_0', sk: 'META', ep: 'ep_0', app: endpoint.app };
    const registry = [endpoint, runtime, broken, find('registry', 'A#', 'META'), find('registry', 'S#', 'META')];
    for (const item of registry as Placed<Item>[]) world.database.write({ kind: 'put', table: 'registry', item });
    for (const item of [message, find('outbox', 'Q#', 'A#')] as Placed<Item>[])
      world.database.write({ kind: 'put', table: 'outbox', item });
    world.receivers.set(endpoint.url, () => answered(200));
    world.start();
    await world.until(() => world.record(endpoint.id, message)?.status === 'delivered', 30 * MINUTE_MS);
    world.stop();
    expect(world.requests.map(({ id }) => id)).toEqual([message.id]);
    expect(world.rows(endpoint.id)).toEqual([]);
    expect(world.telemetry.total('DependencyError')).toBeGreaterThan(0);
  });
});
