/** One row of a handler's table that mirrors an entity of the provider, and the write that changes it. */
import type { Condition } from '#core/condition.ts';
import {
  busy,
  done,
  type HandlerContext,
  type Outcome,
  PermanentError,
  stale,
} from '#core/handler/handler-contract.ts';
import type { EffectWrite, ItemKey } from '#core/ports.ts';

/** The row that keeps the state of one object of the provider: your table (physical name) and its key. */
export interface Entity {
  /** Physical name; the process function needs dynamodb:GetItem and dynamodb:UpdateItem on it. */
  readonly table: string;
  readonly key: ItemKey;
}

/**
 * Attributes of the row. Undefined removes one. Name the same ones for every event, so that nothing of an older state
 * stays behind.
 */
export type EntityState = Readonly<Record<string, unknown>>;

/** The row's write. Throws PermanentError when the state names an attribute that ordering or the key owns. */
export function writeEntity(
  entity: Entity,
  state: EntityState,
  ordering: Readonly<Record<string, unknown>>,
  condition: Condition,
): EffectWrite {
  for (const name of Object.keys(state)) {
    if (Object.hasOwn(ordering, name) || Object.hasOwn(entity.key, name))
      throw new PermanentError(
        `the state may not set "${name}": that attribute is part of the row's key or of its ordering; leave it out`,
      );
  }
  const entries = Object.entries(state);
  return {
    kind: 'update',
    ...entity,
    set: { ...Object.fromEntries(entries.filter(([, value]) => value !== undefined)), ...ordering },
    remove: entries.filter(([, value]) => value === undefined).map(([name]) => name),
    condition,
  };
}

/** Attempts in which a strategy writes a row: too late for one row may be in time for another. */
const WRITING = new WeakSet<HandlerContext>();

/** `onRefused`: of the row's own condition. Nobody knows whether one of `effects` ever holds: that costs attempts. */
export function commitEntity(
  context: HandlerContext,
  write: EffectWrite,
  effects: readonly EffectWrite[],
  onRefused: Outcome,
): void {
  context.transact([write], { onRefused });
  context.transact(effects, { onRefused: busy(0, 'a condition in `effects` did not hold') });
  WRITING.add(context);
}

/** Stale, unless the same attempt writes another row: an outcome other than done would drop that write. */
export const tooLate = (context: HandlerContext, reason: string): Outcome =>
  WRITING.has(context) ? done({ actionTaken: `another row was written; ${reason}` }) : stale(reason);
