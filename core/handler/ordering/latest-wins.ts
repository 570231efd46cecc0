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
  stale,
  type WebhookEvent,
} from '#core/handler/handler-contract.ts';
import type { EffectWrite } from '#core/ports.ts';
import { type Entity, type EntityState, writeEntity } from './entity.ts';
import { checkVersion, describeNewer, mayReplace, VERSION, VERSION_EVENT, type Version } from './version.ts';

/** What `latestWins` needs: the row, the version the event brings, and the whole state it carries. */
export interface LatestWins {
  readonly entity: Entity;
  /** From the provider's sequence, its `updated_at`, or `eventTime(event)`. Undefined ends as a dead letter. */
  readonly version: Version | undefined;
  /** The whole state the event carries. A deleted entity is a state too (`deleted: true`): a deleted row would come back. */
  readonly state: EntityState;
  /** Further writes, committed only when the state is. */
  readonly effects?: readonly EffectWrite[];
  /** @default `applied version <version>` */
  readonly actionTaken?: string;
}

/**
 * Applies the state if it is the newest (`completed`), else answers `stale` with the reason (`skipped_stale`). Equal
 * versions are ordered by event id, so that of two events of one second one is applied and the other recorded. Throws
 * PermanentError for an event without a version, or one that cannot be compared with the row's.
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
  const version = checkVersion(given, row);
  const condition = mayReplace(version, event.id);
  if (!holds(condition, row)) return stale(describeNewer(version, row));
  const ordering = { [VERSION]: version, [VERSION_EVENT]: event.id };
  // Refused since the read: only something newer can have come, as versions never fall. Unless it was another write.
  const onRefused = effects.some(effect => effect.condition !== undefined)
    ? retryAfter(1, 'a condition did not hold when the state was written')
    : stale(`another event brought a version newer than ${version} at the same time`);
  context.transact([writeEntity(entity, state, ordering, condition), ...effects], { onRefused });
  return done({ actionTaken: actionTaken ?? `applied version ${version}` });
}
