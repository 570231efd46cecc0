/**
 * The judge of a finished run in the memory world. It reads stores and records of what happened; it shares no rule with
 * the product. Each complaint names the invariant it breaks.
 */
import { createHash } from 'node:crypto';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { type MemoryWorld, PAYLOADS } from '#test/kit/memory-world.ts';

const FINAL = new Set(['completed', 'skipped_stale', 'rejected', 'ignored', 'dead_letter']);

export interface Expectation {
  /** Ids whose effect must be exactly one when completed. Default: all acknowledged ones. */
  readonly ids?: readonly string[];
  /** Times each id was replayed with a new run (a completed event replayed runs again). */
  readonly runs?: ReadonlyMap<string, number>;
}

/** Everything that is wrong with the world after faults have stopped and time has passed. */
export function complaintsAbout(world: MemoryWorld, expected: Expectation = {}): string[] {
  const complaints: string[] = [];
  const items = new Map(world.items().map(it => [keyOf(it), it]));
  const payloads = payloadShas(world);
  for (const id of expected.ids ?? world.acknowledged.keys()) {
    if (world.acknowledged.has(id) && !items.has(id)) complaints.push(`I2 ${id} was acknowledged and has no record`);
  }
  for (const [id, item] of items) complaints.push(...complaintsAboutItem(world, id, item, payloads, expected));
  for (const [id, keys] of keysByEvent(world)) {
    const runs = expected.runs?.get(id) ?? 1;
    if (keys.size > runs)
      complaints.push(`I6 ${id} was sent outside with ${keys.size} idempotency keys in ${runs} run(s)`);
  }
  for (const { eventId, bytes } of world.outside) {
    const item = items.get(eventId);
    const sha = createHash('sha256').update(bytes).digest('hex');
    if (item && sha !== item.bodySha)
      complaints.push(`I13 ${eventId} was handled with other bytes than its record names`);
  }
  return complaints;
}

function complaintsAboutItem(
  world: MemoryWorld,
  id: string,
  item: EventItem,
  payloads: ReadonlySet<string>,
  expected: Expectation,
): string[] {
  const complaints: string[] = [];
  const runs = expected.runs?.get(id) ?? 1;
  const times = world.effects(id);
  if (!FINAL.has(item.status)) complaints.push(`I3 ${id} is ${item.status} forever`);
  if (item.status === 'completed' && times < 1 && !item.actionTaken?.startsWith('split'))
    complaints.push(`I5 ${id} is completed without its effect`);
  if (times > runs) complaints.push(`I5 ${id} had its effect ${times} times in ${runs} run(s)`);
  if (item.status === 'dead_letter' && item.dlqSent !== true) complaints.push(`I2 ${id} is dead and not in the DLQ`);
  const owed = !FINAL.has(item.status) || (item.status === 'dead_letter' && item.dlqSent !== true);
  if (owed !== (item.watchAt !== undefined))
    complaints.push(`I8 ${id} (${item.status}) owed=${owed} watchAt=${item.watchAt}`);
  if (owed === (item.expiresAt !== undefined))
    complaints.push(`I8 ${id} (${item.status}) owed=${owed} expiresAt=${item.expiresAt}`);
  if (item.cause !== 'payload_missing' && !payloads.has(`${item.pk} B#${item.bodySha}`))
    complaints.push(`I14 ${id} has no payload`);
  return complaints;
}

function payloadShas(world: MemoryWorld): ReadonlySet<string> {
  return new Set(world.database.dump(PAYLOADS).map(it => `${it['pk']} ${it['sk']}`));
}

function keysByEvent(world: MemoryWorld): Map<string, Set<string>> {
  const byEvent = new Map<string, Set<string>>();
  for (const { eventId, key } of world.outside) {
    const keys = byEvent.get(eventId) ?? new Set();
    byEvent.set(eventId, keys.add(key));
  }
  return byEvent;
}

function keyOf(item: EventItem): string {
  return item.pk.slice(item.pk.indexOf('#') + 1);
}
