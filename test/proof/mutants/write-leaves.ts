/**
 * The conditions of the protocol's writes, one by one. A write is known by what it changes, so that nothing in the
 * product needs to name it; a condition by its attribute, its comparison and, where a status is excluded, that status.
 */
import type { Condition } from '#core/condition.ts';
import type { EventUpdate } from '#core/inbound/ports.ts';

/** The builder in core/inbound/protocol/event-writes.ts that made an update. */
export function writeOf({ condition, set, add, remove = [] }: EventUpdate): string {
  const revives = remove.includes('deadId');
  switch (set.status) {
    case 'processing':
      return revives ? 'revive' : 'claim';
    case 'deferred':
      if (set.deferredSince !== undefined || set.unreadySince !== undefined) return 'asDeferral';
      return revives ? 'reviveParked' : 'park';
    case 'failed':
      return set.parked ? 'retryLater' : 'retrySoon';
    case 'dead_letter':
      return leavesOf(condition).some(leaf => leaf.startsWith('watchAt')) ? 'dieUnclaimed' : 'die';
    case 'closed':
      return 'close';
    case 'pending':
      return set.replayId === undefined ? 'catchUp' : 'replay';
    case undefined:
      break;
    default:
      if (remove.includes('parked')) return 'endImported';
      return add === undefined ? 'finish' : 'finishUnclaimed';
  }
  if (set.dlqSent !== undefined) return 'deathDone';
  if (set.enqueuedAt !== undefined) return set.watchAt === undefined ? 'markEnqueued' : 'markSwept';
  if (remove.includes('parked')) return 'unpark';
  if (add !== undefined) return 'countResend';
  if (remove.includes('watchAt')) return 'unwatch';
  return leavesOf(condition).some(leaf => leaf.startsWith('watchAt')) ? 'rewatch' : 'watchUnsent';
}

/** All conditions of a write, each once, in order. */
export function leavesOf(condition: Condition): string[] {
  if ('all' in condition) return [...new Set(condition.all.flatMap(leavesOf))];
  if ('any' in condition) return [...new Set(condition.any.flatMap(leavesOf))];
  return [leafOf(condition)];
}

function leafOf(leaf: Exclude<Condition, { all: unknown } | { any: unknown }>): string {
  const value = leaf.attribute === 'status' && leaf.op === 'ne' ? ` ${leaf.value}` : '';
  // `same('owner', …)`, `same('watchAt', …)`: as it was read, there or not.
  const op = ['owner', 'watchAt'].includes(leaf.attribute) && leaf.op === 'missing' ? 'eq' : leaf.op;
  return `${leaf.attribute} ${op}${value}`;
}

/** The same condition without one of its parts; undefined: nothing is left. */
function without(condition: Condition, leaf: string): Condition | undefined {
  if ('all' in condition || 'any' in condition) {
    const parts = 'all' in condition ? condition.all : condition.any;
    const left = parts.map(part => without(part, leaf)).filter(part => part !== undefined);
    if (left.length === 0) return undefined;
    return 'all' in condition ? { all: left } : { any: left };
  }
  return leafOf(condition) === leaf ? undefined : condition;
}

/** The update as it would be had its author forgotten one condition; other updates stay as they are. */
export function dropLeaf(update: EventUpdate, write: string, leaf: string): EventUpdate {
  if (writeOf(update) !== write) return update;
  return { ...update, condition: without(update.condition, leaf) ?? { attribute: 'pk', op: 'exists' } };
}
