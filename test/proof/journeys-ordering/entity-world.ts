/** A memory world with tables for entities, and a look at what became of each event. */
import { defineHandlers, type Handler } from '#core/handler/handler-contract.ts';
import { MemoryWorld, type WorldOptions } from '#test/kit/memory-world.ts';

export const ENTITIES = 'entities';
export const OTHERS = 'others';

export function makeEntityWorld(handle: (world: MemoryWorld) => Handler, options: WorldOptions = {}): MemoryWorld {
  const world: MemoryWorld = new MemoryWorld({
    ...options,
    handlers: self => defineHandlers([{ source: '*', type: '*', handle: handle(self) }]),
  });
  for (const name of [ENTITIES, OTHERS]) world.database.define({ name, partition: 'id', indexes: [] });
  return world;
}

export function rowOf(world: MemoryWorld, id: string, table = ENTITIES): Readonly<Record<string, unknown>> | undefined {
  return world.database.dump(table).find(row => row['id'] === id);
}

/** `<status>: <reason>` of an event. */
export function becameOf(world: MemoryWorld, id: string): string {
  const item = world.item(id);
  return `${item?.status}: ${item?.actionTaken ?? item?.lastError ?? ''}`;
}

/** Delivers one event and lets the gateway work for a while. */
export async function deliver(world: MemoryWorld, id: string, more: Parameters<MemoryWorld['post']>[0] | object = {}) {
  await world.post({ id, ...more });
  await world.clock.advanceBy(5_000);
}

/** Notes what the handler answers, and when: `+02:30 invoice.paid: deferred, "paid" came too early: …`. */
export function withTimeline(world: MemoryWorld, lines: string[], handle: Handler): Handler {
  const beganAt = world.clock.now();
  return async (event, context) => {
    const outcome = await handle(event, context);
    const seconds = Math.floor((world.clock.now() - beganAt) / 1_000);
    const at = `+${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
    const why = outcome.kind === 'done' ? outcome.actionTaken : outcome.reason;
    lines.push(`${at} ${event.type}: ${outcome.kind}, ${why}`);
    return outcome;
  };
}

const two = (n: number): string => String(n).padStart(2, '0');
