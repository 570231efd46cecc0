import type { EventStore } from '#core/inbound/ports.ts';
import { type Shards, SpreadWriter, shardsIn } from '#core/inbound/protocol/spread.ts';

type Writer = Pick<EventStore, 'insert' | 'update'>;

/** A file that is read where a source of the configuration is spread over several keys. */
export function spreadWrites(writer: Writer, shards: Shards): Writer {
  return new SpreadWriter(writer, shardsIn(shards));
}
