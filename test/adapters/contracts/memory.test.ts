import { MemoryBlobs } from '#adapters/memory/memory-blobs.ts';
import { MemorySecretValues } from '#test/kit/memory/memory-secrets.ts';
import { blobStoreContract } from './blob-store.contract.ts';
import { controlStoreContract } from './control-store.contract.ts';
import { eventStoreContract } from './event-store.contract.ts';
import { itemStoreContract } from './item-store.contract.ts';
import { makeMemoryOutboundQueues, makeMemoryQueues } from './memory-queues.ts';
import { makeMemoryTables } from './memory-region.ts';
import { outboundQueuesContract } from './outbound-queues.contract.ts';
import { payloadStoreContract } from './payload-store.contract.ts';
import { publisherContract } from './publisher.contract.ts';
import { queuesContract } from './queues.contract.ts';
import { searchStoreContract } from './search-store.contract.ts';
import { secretValuesContract } from './secret-values.contract.ts';

const tables = makeMemoryTables();

eventStoreContract(() => tables);
controlStoreContract(() => tables);
payloadStoreContract(() => tables);
searchStoreContract(() => tables);
itemStoreContract(() => tables);
publisherContract(() => tables);

const queues = makeMemoryQueues();

queuesContract(() => queues);

const outbound = makeMemoryOutboundQueues();

outboundQueuesContract(() => outbound);

const blobs = new MemoryBlobs(tables.clock);

blobStoreContract(() => ({ blobs }));

const values = new MemorySecretValues();

secretValuesContract(() => ({
  values,
  async set(sourceId, text) {
    if (text !== undefined) values.set(sourceId, text);
  },
}));
