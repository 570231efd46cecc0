/** The item of an erasure: how far it is, what it removed, and at the end the report, which is kept. */
import type { EpochMs } from '#core/glossary.ts';
import type { ItemStore, OutboundTable } from '#core/outbound/ports.ts';
import { beginErasure, closeApplication, keepErasurePlace } from '#core/outbound/protocol/control-writes.ts';
import type { AppId, EndpointId } from '#core/outbound/protocol/ids.ts';
import type { ControlItem } from '#core/outbound/protocol/items.ts';
import { controlKey, ERASURES, listedAt } from '#core/outbound/protocol/keys.ts';
import type { Clock } from '#core/ports.ts';
import { DAY_MS } from '#core/time.ts';

export const ERASED_KINDS = [
  'endpoints',
  'secrets',
  'messages',
  'bodies',
  'waiting',
  'deliveries',
  'attempts',
  'tests',
  'replay_notes',
  'replay_jobs',
] as const;
/** `bodies`: those that lay in the bucket, also of publications that were refused or cut off. `waiting`: rows of the queue. */
export type ErasedCounts = Readonly<Record<(typeof ERASED_KINDS)[number], number>>;
const NOTHING = Object.fromEntries(ERASED_KINDS.map(kind => [kind, 0])) as ErasedCounts;

/** Where it goes on. */
export interface Place {
  readonly phase: 'endpoints' | 'wait' | 'messages' | 'deliveries' | 'jobs' | 'bodies' | 'configuration' | 'done';
  /** End of the wait; the hour of messages; the day of an endpoint's records, absent: its rows; of jobs: those that are over. */
  readonly at?: EpochMs;
  readonly ep?: EndpointId;
  readonly cursor?: string;
}
/** What was counted and is to be removed now. It is written down before: a crash between neither counts nor removes twice. */
export interface Page {
  readonly keys: readonly (readonly [table: OutboundTable, pk: string, sk: string])[];
  /** Bodies in the bucket. */
  readonly refs?: readonly string[];
  /** Endpoints to be deleted, with their secrets and names (W16). */
  readonly close?: readonly EndpointId[];
}
export interface Erasure extends Place {
  readonly app: AppId;
  readonly by: string;
  readonly startedAt: EpochMs;
  /** Counts only. */
  readonly dryRun: boolean;
  readonly removed: ErasedCounts;
  readonly page?: Page;
  readonly finishedAt?: EpochMs;
}

const DRY_RUN_KEPT_MS = 7 * DAY_MS;
const keyOfErasure = ({ app, dryRun }: Pick<Erasure, 'app' | 'dryRun'>) =>
  controlKey(`erase${dryRun ? '-dry' : ''}#${app}`);

/** Of its item; one that an older version began has fewer counts. */
export function parseErasure({ value, version }: Pick<ControlItem, 'value' | 'version'>) {
  const stored = JSON.parse(value) as Erasure;
  const removed = { ...NOTHING, ...stored.removed };
  const erasure: Erasure = { ...stored, dryRun: stored.dryRun ?? false, removed };
  return { version, erasure };
}

/** How far it is; undefined: none was asked for. */
export async function readErasure(
  store: Pick<ItemStore, 'get'>,
  app: AppId,
  dryRun = false,
): Promise<Erasure | undefined> {
  const item = await store.get(keyOfErasure({ app, dryRun }), 'consistent');
  return item && parseErasure(item).erasure;
}

/**
 * From now on publishing to it is refused; a dry run changes nothing and counts anew. False: there is no such application.
 */
export async function startErase(
  { store, clock }: { readonly store: ItemStore; readonly clock: Clock },
  app: AppId,
  by: string,
  dryRun = false,
): Promise<boolean> {
  const now = clock.now();
  if (!dryRun) {
    const closed = await store.update(closeApplication(app));
    if (closed.kind === 'refused') return false;
  }
  const erasure: Erasure = { app, by, startedAt: now, dryRun, phase: 'endpoints', removed: NOTHING };
  // A dry run that is begun again is another one.
  const item = {
    value: JSON.stringify(erasure),
    version: dryRun ? now : 1,
    ...listedAt(ERASURES, now, `${dryRun} ${app}`),
  };
  const key = keyOfErasure(erasure);
  if (!dryRun) await store.put(beginErasure(key, item));
  else await store.put({ kind: 'put', key, item: { ...item, expiresAt: Math.floor((now + DRY_RUN_KEPT_MS) / 1_000) } });
  return true;
}

/** False: somebody else went on with it. */
export async function keepErasure(
  store: Pick<ItemStore, 'update'>,
  erasure: Erasure,
  version: number,
): Promise<boolean> {
  const to = { value: JSON.stringify(erasure), over: erasure.finishedAt !== undefined };
  const kept = await store.update(keepErasurePlace(keyOfErasure(erasure), version, to));
  return kept.kind === 'applied';
}
