import { MemoryDatabase } from '#adapters/memory/memory-database.ts';
import { eventsTable, MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryPayloadStore, payloadsTable } from '#adapters/memory/memory-payload-store.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { MemoryItemStore, outboundTable } from '#test/kit/memory/memory-item-store.ts';
import { MemorySearchStore } from '#test/kit/memory/memory-search-store.ts';

/** The tables in memory, with their default lag and lateness. */
export function makeMemoryTables() {
  const clock = new VirtualClock();
  const database = new MemoryDatabase({ clock, random: new SeededRandom(2), unitsPerPartition: 1_000_000 });
  database.define(eventsTable('events'));
  database.define(payloadsTable('payloads'));
  database.define({ name: 'effects', partition: 'id' });
  database.define(outboundTable('registry'));
  database.define(outboundTable('outbox'));
  return {
    clock,
    database,
    store: new MemoryEventStore(database, 'events'),
    control: new MemoryControlStore(database, 'events'),
    payloads: new MemoryPayloadStore(database, 'payloads'),
    search: new MemorySearchStore(database, 'payloads'),
    items: new MemoryItemStore(database),
    eventsTable: 'events',
    effectsTable: 'effects',
    readEffect: async (id: string) => database.get('effects', { id }),
    settle: () => clock.advanceBy(60_000),
  };
}
