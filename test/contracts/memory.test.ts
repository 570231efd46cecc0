import { controlStoreContract } from './control-store.contract.ts';
import { eventStoreContract } from './event-store.contract.ts';
import { makeMemoryQueues } from './memory-queues.ts';
import { makeMemoryTables } from './memory-region.ts';
import { payloadStoreContract } from './payload-store.contract.ts';
import { queuesContract } from './queues.contract.ts';

const tables = makeMemoryTables();

eventStoreContract(() => tables);
controlStoreContract(() => tables);
payloadStoreContract(() => tables);

const queues = makeMemoryQueues();

queuesContract(() => queues);
