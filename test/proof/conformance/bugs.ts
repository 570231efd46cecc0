/** Deliberate bugs in what the code writes and sends: a walk must end in a Divergence under each. */
import { type Condition, exists } from '#core/condition.ts';
import type { EventUpdate } from '#core/inbound/ports.ts';
import type { EventAttribute } from '#core/inbound/protocol/event-item.ts';
import type { Bug } from './real-lifecycle.ts';

export const BUGS: Readonly<Record<string, Bug>> = {
  'writes are not fenced by the owner': ignore('owner'),
  'writes do not look at the status': ignore('status'),
  'writes do not look at the generation': ignore('gen'),
  'an event is claimed before it is due': ignore('nextAttemptAt'),
  'an event is claimed under a valid lease': ignore('leaseUntil'),
  'death-done and revive do not look at the death': ignore('deadId'),
  'the sweeper writes to a record that is not as it was read': ignore('watchAt'),
  'the watch is kept at the end': keep('watchAt', 'watchShard'),
  'the owner is kept at the end': keep('owner'),
  'the expiry is kept by revive and replay': keep('expiresAt'),
  'the death is kept by revive and replay': keep('deadId', 'dlqSent'),
  'an event stays parked': keep('parked'),
  'a claim keeps the due time': keep('nextAttemptAt'),
  'a replay looks sent': keep('enqueuedAt'),
  'a final event has no expiry': leaveOut('expiresAt'),
  'a waiting event has no watch': leaveOut('watchAt'),
  'a parked event is not marked so': leaveOut('parked'),
  'a replay stays in its generation': leaveOut('gen'),
  'a replay keeps its attempts': leaveOut('attempts'),
  'a retry has no due time': leaveOut('nextAttemptAt'),
  'a sent event is not marked': leaveOut('enqueuedAt'),
  'a sent death is not marked': leaveOut('dlqSent'),
  'the lease has no end': leaveOut('leaseUntil'),
  'a claim keeps the count of re-sends': leaveOut('resends'),
  'attempts and re-sends are not counted': { update: ({ add: _add, ...rest }) => rest },
  'later copies are never sent': { message: body => (body.includes('"again":true') ? undefined : body) },
  'a DLQ message does not name its death': { message: body => body.replace(/"deadId":"[^"]*",/, '') },
};

function ignore(attribute: EventAttribute): Bug {
  return { update: update => ({ ...update, condition: without(update.condition, attribute) }) };
}

function keep(...attributes: readonly EventAttribute[]): Bug {
  return {
    update: update => ({ ...update, remove: (update.remove ?? []).filter(name => !attributes.includes(name)) }),
  };
}

function leaveOut(attribute: EventAttribute): Bug {
  return {
    update: (update): EventUpdate => ({
      ...update,
      set: Object.fromEntries(Object.entries(update.set).filter(([name]) => name !== attribute)),
    }),
  };
}

function without(condition: Condition, attribute: string): Condition {
  if ('all' in condition) return { all: condition.all.map(part => without(part, attribute)) };
  if ('any' in condition) return { any: condition.any.map(part => without(part, attribute)) };
  return condition.attribute === attribute ? exists('pk') : condition;
}
