/** Stored attributes as a record: the one place where they become one. Stores call it on whatever they read. */
import type { RequiredKey } from '#core/given.ts';
import { type EventIn, type EventItem, SCHEMA_VERSION } from './event-item.ts';

type KnownStatus = Exclude<EventItem['status'], 'unknown'>;
type NameOf<T> = T extends string ? 'string' : T extends number ? 'number' : T extends boolean ? 'boolean' : 'object';
/** Required in this status, and not in each. */
type Needs<S extends KnownStatus> = {
  readonly [K in Exclude<RequiredKey<EventIn<S>>, RequiredKey<EventIn<'pending'>>>]: NameOf<EventIn<S>[K]>;
};

const RETRYING = { nextAttemptAt: 'number' } as const;
const FINISHED = { completedAt: 'number' } as const;
const DEAD = {
  deadAt: 'number',
  deadId: 'string',
  dlqSent: 'boolean',
  cause: 'string',
  lastError: 'string',
  attentionSource: 'string',
  attentionAt: 'string',
} as const;
/** What a status cannot be without; the type demands exactly the fields that the union requires. */
const NEEDS: { readonly [S in KnownStatus]: Needs<S> } = {
  pending: {},
  processing: { owner: 'string', leaseUntil: 'number' },
  failed: RETRYING,
  deferred: RETRYING,
  completed: FINISHED,
  skipped_stale: FINISHED,
  rejected: FINISHED,
  ignored: FINISHED,
  dead_letter: DEAD,
  closed: { ...DEAD, closing: 'object' },
};

/**
 * A record of a version that this one does not know, or without a field of its status, gets the status `unknown`. It never
 * throws.
 */
export function parseEventItem(stored: Readonly<Record<string, unknown>>): EventItem {
  const status = String(stored['status']);
  const needs: Readonly<Record<string, string>> | undefined = Object.hasOwn(NEEDS, status)
    ? NEEDS[status as KnownStatus]
    : undefined;
  const whole =
    needs !== undefined && Object.keys(needs).every(name => typeof (stored[name] ?? undefined) === needs[name]);
  const known = whole && Number(stored['schemaVersion']) <= SCHEMA_VERSION;
  const item: Record<string, unknown> = { ...stored };
  // Without a count of its own the sweeper would send an older record every minute.
  item['resends'] ??= 0;
  if (!known) Object.assign(item, { status: 'unknown', storedStatus: status });
  return item as unknown as EventItem;
}
