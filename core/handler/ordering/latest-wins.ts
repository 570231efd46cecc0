/**
 * Latest wins: the row keeps the state of the newest event, in whatever order events come. A compare-and-set on the
 * entity's version, in one transaction with the event's completion.
 */
import { holds } from '#core/condition.ts';
import {
  done,
  type HandlerContext,
  type Outcome,
  retryAfter,
  type WebhookEvent,
} from '#core/handler/handler-contract.ts';
import type { EffectWrite } from '#core/ports.ts';
import { commitEntity, type Entity, type EntityState, tooLate, writeEntity } from './entity.ts';
import { checkComparable, describeNewer, mayReplace, VERSION, VERSION_EVENT, type Version } from './version.ts';

/** What `latestWins` needs: the row, the version the event brings, and the whole state it carries. */
export interface LatestWins {
  readonly entity: Entity;
  /** From the provider's sequence, its `updated_at`, or `eventTime(event)`. Undefined makes the event a dead letter. */
  readonly version: Version | undefined;
  /**
   * The whole state that the event carries. Keep a deleted entity as a state, too (`deleted: true`): a late event would
   * bring a deleted row back.
   */
  readonly state: EntityState;
  /** More writes, committed only together with the state. @default none */
  readonly effects?: readonly EffectWrite[];
  /** @default `applied version <version>` */
  readonly actionTaken?: string;
}

/**
 * Applies the state if it is the newest (`completed`); else returns `stale` with the reason (`skipped_stale`). Equal
 * versions are ordered by event id: of two events of one second, the one with the larger id stays. Throws PermanentError
 * for an event without a version, and for one whose version cannot be compared with the row's.
 * @example
 * return latestWins(event, context, {
 *   entity: { table: handlerEnv('SUBSCRIPTIONS_TABLE'), key: { id: 'sub_1' } },
 *   version: eventTime(event),
 *   state: { status: 'active' },
 * });
 */
export async function latestWins(
  event: WebhookEvent,
  context: HandlerContext,
  { entity, version: given, state, effects = [], actionTaken }: LatestWins,
): Promise<Outcome> {
  const row = await context.read(entity.table, entity.key);
  const version = checkComparable(given, row);
  const condition = mayReplace(version, event.id);
  if (!holds(condition, row)) return tooLate(context, describeNewer(version, row));
  const ordering = { [VERSION]: version, [VERSION_EVENT]: event.id };
  // Refused since the read: something newer came. The next attempt says so, and what else it writes is not lost.
  const onRefused = retryAfter(1, 'another event changed the row at the same time');
  commitEntity(context, writeEntity(entity, state, ordering, condition), effects, onRefused);
  return done({ actionTaken: actionTaken ?? `applied version ${version}` });
}
