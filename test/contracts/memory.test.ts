import { controlStoreContract } from './control-store.contract.ts';
import { eventStoreContract } from './event-store.contract.ts';
import { makeMemoryTables } from './memory-region.ts';
import { payloadStoreContract } from './payload-store.contract.ts';

const tables = makeMemoryTables();

eventStoreContract(() => tables);
controlStoreContract(() => tables);
payloadStoreContract(() => tables);
