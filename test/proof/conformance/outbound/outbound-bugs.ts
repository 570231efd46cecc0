/** Deliberate bugs in the outbound writes: a walk must end in a Divergence under each. */
import { type Condition, exists } from '#core/condition.ts';
import type { ItemUpdate, ItemWrite } from '#core/outbound/ports.ts';
import type { WriteBug } from './outbound-world.ts';

export const OUTBOUND_BUGS: Readonly<Record<string, WriteBug>> = {
  'a session writes whoever owns the lease': ignore('owner'),
  'the lease is taken whatever its end': ignore('leaseUntil', 'owner'),
  'the lease is taken on hold': ignore('holdUntil'),
  'writes do not look at the gate': ignore('gate'),
  'a customer changes what an operator closed': ignore('gateBy'),
  'outcomes and replays do not look at the generation': ignore('gen'),
  'outcomes and replays do not look at the status': ignore('status'),
  'a failure is recorded twice': ignore('attempts'),
  'a replay does not know its own request': write =>
    write.kind === 'put' && write.key.sk.startsWith('R#') ? { kind: 'put', key: write.key, item: write.item } : write,
  'the owner is kept at the release': keep('owner'),
  'a shut gate keeps wakeAt': keep('gpk', 'gsk'),
  'enabling keeps the hold': keep('holdUntil'),
  'resume and release set no wakeAt': leaveOut('gpk', 'gsk'),
  'a replay stays in its generation': leaveOut('gen'),
  'a replay and a failure keep the attempts': leaveOut('attempts'),
  'a replay and a failure keep the status': leaveOut('status'),
  'the lease has no end': leaveOut('leaseUntil'),
  'a hold has no end': leaveOut('holdUntil'),
  'a retry has no due time': leaveOut('nextAt'),
  'the backlog is not dropped': leaveOut('dropBefore'),
  'a row has the attempt of the last one': write =>
    write.kind === 'put' && 'n' in write.item ? { ...write, item: { ...write.item, n: 1 } } : write,
};

/** A condition on any of these attributes always holds. */
function ignore(...attributes: readonly string[]): WriteBug {
  return write =>
    write.condition === undefined
      ? write
      : ({ ...write, condition: without(write.condition, attributes) } as ItemWrite);
}

function keep(...attributes: readonly string[]): WriteBug {
  return onUpdates(write => ({ ...write, remove: (write.remove ?? []).filter(it => !attributes.includes(it)) }));
}

function leaveOut(...attributes: readonly string[]): WriteBug {
  return onUpdates(write => ({
    ...write,
    set: Object.fromEntries(Object.entries(write.set ?? {}).filter(([name]) => !attributes.includes(name))),
  }));
}

function onUpdates(change: (write: ItemUpdate) => ItemUpdate): WriteBug {
  return write => (write.kind === 'update' ? change(write as ItemUpdate) : write);
}

/** `pk` is there once the item is; what must not be there before is left as it was. */
function without(condition: Condition, attributes: readonly string[]): Condition {
  if ('all' in condition) return { all: condition.all.map(part => without(part, attributes)) };
  if ('any' in condition) return { any: condition.any.map(part => without(part, attributes)) };
  return attributes.includes(condition.attribute) ? exists('pk') : condition;
}
