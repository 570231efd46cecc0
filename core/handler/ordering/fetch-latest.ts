/**
 * Fetch latest: the event is a hint that something changed; the provider is asked for the current state. The row is read
 * before the question is asked and must be unchanged when the answer is written, so that of two answers the one that was
 * asked for later stays, whatever their versions say.
 */
import { all, type Condition, eq, exists, gt, holds, missing, type Scalar, same } from '#core/condition.ts';
import {
  defer,
  done,
  type HandlerContext,
  type Outcome,
  PermanentError,
  retryAfter,
  type WebhookEvent,
} from '#core/handler/handler-contract.ts';
import type { EffectWrite, ItemData } from '#core/ports.ts';
import { waitMs } from '#core/retry/judge-http-answer.ts';
import { MINUTE_MS } from '#core/time.ts';
import { commitEntity, type Entity, type EntityState, tooLate, writeEntity } from './entity.ts';
import { checkVersion, describeNewer, STATE, VERSION, VERSION_EVENT, type Version } from './version.ts';
import { waitedMs, waitForEarlier } from './waiting.ts';

/** What the provider said about the object. */
export type Fetched<T> =
  | { readonly kind: 'found'; readonly id: string; readonly object: T }
  /** 404 or 410. */
  | { readonly kind: 'gone' }
  /** 429 or 503: come back later. `retryAfterSeconds`: what the answer asked for. */
  | { readonly kind: 'busy'; readonly retryAfterSeconds?: number }
  /** 401, 403 and other answers that a retry cannot change. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Asks a provider for one kind of object. It throws if a retry may help: for network errors and 5xx. */
export interface Fetcher<T> {
  fetch(id: string, signal: AbortSignal): Promise<Fetched<T>>;
}

/** What `fetchLatest` needs: the row, the id of the object, whom to ask, and how the answer becomes attributes. */
export interface FetchLatest<T> {
  readonly entity: Entity;
  /** The provider's id of the object. */
  readonly id: string;
  readonly fetcher: Fetcher<T>;
  /** Makes the row's attributes from the object. */
  readonly toState: (object: T) => EntityState;
  /** Reads a version from the object, if it has one. An answer older than the row (a lagging replica) is then refused. */
  readonly toVersion?: (object: T) => Version | undefined;
  /** More writes, committed only together with the state. @default none */
  readonly effects?: readonly EffectWrite[];
  /** How long to wait for the provider, in milliseconds. @default 10,000 */
  readonly timeoutMs?: number;
}

/** Grows with every write of the row, so that a change since the read is seen. */
const REVISION = 'revision';
/** Set while the provider says the object does not exist. */
const DELETED = 'deleted';
/** The last version before that: a lagging answer is still told, and no event counts as newer than the deletion. */
const DELETED_VERSION = 'deletedVersion';
const DEFAULT_TIMEOUT_MS = 10_000;
/** The own wait: an answer may ask for more, a day at most. */
const BUSY_MS = MINUTE_MS;
/** A provider's read side may lag behind its events: an unknown object is looked for again until this is over. */
const UNSEEN_LIMIT_MS = 10 * MINUTE_MS;

/**
 * Asks the provider for the current state, and brings the row up to date (`completed`). If the provider is busy, the
 * event is `deferred` as `Retry-After` says (a minute to a day), which uses up no attempt. If the object is gone, the row
 * is marked `deleted` (`completed`); without a row the object is looked for again for ten minutes, then the event is
 * `skipped_stale`. If the answer is older than the row, it is `skipped_stale`. Throws PermanentError if the provider
 * refuses or gives another object, and Error without an answer in time, so that the event is tried again.
 * @example
 * const credential = secretCredential(handlerEnv('API_SECRET_STRIPE'));
 * return fetchLatest(event, context, {
 *   entity: { table: handlerEnv('INVOICES_TABLE'), key: { id: 'in_1' } },
 *   id: 'in_1',
 *   fetcher: stripeFetcher<{ status: string }>('invoices', { credential }),
 *   toState: invoice => ({ status: invoice.status }),
 * });
 */
export async function fetchLatest<T>(
  event: WebhookEvent,
  context: HandlerContext,
  request: FetchLatest<T>,
): Promise<Outcome> {
  const { entity, id, fetcher, timeoutMs = DEFAULT_TIMEOUT_MS } = request;
  const row = await context.read(entity.table, entity.key);
  const answer = await context.limit(timeoutMs, signal => fetcher.fetch(id, signal));
  if (answer.kind === 'timed_out') throw new Error(`the provider did not answer for ${id} within ${timeoutMs} ms`);
  const fetched = answer.value;
  switch (fetched.kind) {
    case 'found':
      return applyFound(event, context, request, row, fetched);
    case 'gone':
      return applyGone(event, context, request, row);
    case 'busy':
      return defer(context.startedAt + busyMs(fetched.retryAfterSeconds), 'the provider asked to come back later');
    case 'refused':
      throw new PermanentError(`the provider refused to show ${id}: ${fetched.reason}`);
  }
}

function applyFound<T>(
  event: WebhookEvent,
  context: HandlerContext,
  { entity, id, toState, toVersion, effects = [] }: FetchLatest<T>,
  row: ItemData | undefined,
  found: { readonly id: string; readonly object: T },
): Outcome {
  if (found.id !== id)
    throw new PermanentError(
      `the fetcher was asked for ${id} and returned ${found.id.slice(0, 80)}: correct its \`id\``,
    );
  const version = toVersion && checkVersion(toVersion(found.object), row);
  const known = row?.[VERSION] ?? row?.[DELETED_VERSION];
  if (version !== undefined && holds(gt(VERSION, version), { [VERSION]: known }))
    return tooLate(context, describeNewer(version, { ...row, [VERSION]: known }));
  const ordering = version === undefined ? {} : { [VERSION]: version };
  // What says how new the state before was says nothing of this one.
  const unversioned = version === undefined ? { [VERSION]: undefined } : {};
  const unordered = version === undefined || row?.[VERSION] === undefined ? { [STATE]: undefined } : {};
  const forgotten = { [DELETED]: undefined, [DELETED_VERSION]: undefined, ...unversioned, ...unordered };
  commit(event, context, entity, row, { ...forgotten, ...toState(found.object) }, ordering, effects);
  return done({ actionTaken: version === undefined ? 'fetched' : `fetched version ${version}` });
}

function applyGone<T>(
  event: WebhookEvent,
  context: HandlerContext,
  { entity, id, effects = [] }: FetchLatest<T>,
  row: ItemData | undefined,
): Outcome {
  if (row === undefined) {
    return waitedMs(context) < UNSEEN_LIMIT_MS
      ? waitForEarlier(context, `the provider does not know ${id} (yet)`)
      : tooLate(context, `the provider does not know ${id}, and neither do we`);
  }
  if (row[DELETED] === true) return tooLate(context, `${id} is marked as deleted already`);
  const before = row[VERSION] ?? row[DELETED_VERSION];
  const state = { [DELETED]: true, [VERSION]: undefined, [DELETED_VERSION]: before };
  commit(event, context, entity, row, state, {}, effects);
  return done({ actionTaken: 'marked as deleted' });
}

function commit(
  event: WebhookEvent,
  context: HandlerContext,
  entity: Entity,
  row: ItemData | undefined,
  state: EntityState,
  ordering: EntityState,
  effects: readonly EffectWrite[],
): void {
  const revision = row?.[REVISION];
  const counter = typeof revision === 'number' ? revision : undefined;
  // The last two: another strategy may write the row, too, while one is changed for the other.
  const unchanged = all(same(REVISION, counter), ...[VERSION, VERSION_EVENT, STATE].map(name => sameAsRead(name, row)));
  const owned = { ...ordering, [VERSION_EVENT]: event.id, [REVISION]: (counter ?? 0) + 1 };
  // Refused: somebody else brought an answer meanwhile. The next attempt asks again.
  const onRefused = retryAfter(1, 'another answer was stored at the same time');
  commitEntity(context, writeEntity(entity, state, owned, unchanged), effects, onRefused);
}

/** A state that is no scalar is the handler's own: no machine writes one. */
function sameAsRead(name: string, row: ItemData | undefined): Condition {
  const read = row?.[name];
  if (read === undefined) return missing(name);
  return isScalar(read) ? eq(name, read) : exists(name);
}

const isScalar = (value: unknown): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value);

function busyMs(seconds: number | undefined): number {
  return waitMs(BUSY_MS, seconds !== undefined && Number.isFinite(seconds) ? seconds * 1_000 : undefined);
}
