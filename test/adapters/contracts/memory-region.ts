import { MemoryControlStore } from '#adapters/memory/memory-control-store.ts';
import { MemoryDatabase } from '#adapters/memory/memory-database.ts';
import { eventsTable, MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { MemoryItemStore, outboundTable } from '#adapters/memory/memory-item-store.ts';
import { MemoryPayloadStore, payloadsTable } from '#adapters/memory/memory-payload-store.ts';
import { MemorySearchStore } from '#adapters/memory/memory-search-store.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';

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
