/**
 * Erasing an application: its endpoints are deleted, what waits ends, then everything of it is removed page by page. What a
 * page holds is counted and written down before it is removed, so every call may fail and be repeated. What stays is one
 * item with counts and times: the report.
 */
import type { EpochMs } from '#core/glossary.ts';
import type { OutboundPorts } from '#core/outbound/ports.ts';
import { deleteEndpoint } from '#core/outbound/protocol/delivery-writes.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import { ERASURES, endpointKey, listOf } from '#core/outbound/protocol/keys.ts';
import { rowExpiry } from '#core/outbound/protocol/timings.ts';
import { sideBySide } from '#core/side-by-side.ts';
import { ERASED_KINDS, type ErasedCounts, type Erasure, keepErasure, type Page, parseErasure } from './erasure.ts';
import { findNext } from './find-items.ts';

export type ErasePorts = Pick<OutboundPorts, 'store' | 'blobs' | 'clock' | 'ids'>;

const TRIES = 4;

/** Goes on with every erasure that is not done, until the time is over. */
export async function eraseSome(ports: ErasePorts, retentionMs: number, until: EpochMs): Promise<void> {
  const { store, clock } = ports;
  const listed = await store.query({ ...listOf(ERASURES), limit: 100 });
  for (const { pk, sk } of listed.items) {
    const key = { table: 'registry', pk, sk } as const;
    const item = await store.get<{ value: string; version: number }>(key, 'consistent');
    if (item === undefined) continue;
    let { erasure, version } = parseErasure(item);
    while (erasure.finishedAt === undefined && clock.now() < until) {
      const next = await step(ports, erasure, retentionMs);
      if (next === undefined || !(await keepErasure(store, next, version))) break;
      erasure = next;
      version += 1;
    }
  }
}

/** Removes the page that was written down, or writes down the next one. Undefined: there is nothing to do yet. */
async function step(ports: ErasePorts, erasure: Erasure, retentionMs: number): Promise<Erasure | undefined> {
  const { page, ...rest } = erasure;
  if (page !== undefined) return (await removePage(ports, erasure, page, retentionMs)) ? rest : undefined;
  const now = ports.clock.now();
  if (erasure.phase === 'done') return { ...rest, finishedAt: now };
  const found = await findNext(ports, erasure, now);
  if (found === undefined) return undefined;
  const { app, by, startedAt, dryRun } = erasure;
  const removed = sum(erasure.removed, found.counts ?? {});
  return { app, by, startedAt, dryRun, removed, ...found.next, ...(dryRun || !found.page ? {} : { page: found.page }) };
}

const sum = (one: ErasedCounts, other: Partial<ErasedCounts>): ErasedCounts =>
  Object.fromEntries(ERASED_KINDS.map(kind => [kind, one[kind] + (other[kind] ?? 0)])) as ErasedCounts;

/** False: an endpoint could not be deleted now. */
async function removePage(
  ports: ErasePorts,
  { app }: Erasure,
  { keys, refs = [], close = [] }: Page,
  retentionMs: number,
): Promise<boolean> {
  const { store, blobs } = ports;
  for (const ep of close) if (!(await closeEndpoint(ports, app, ep, retentionMs))) return false;
  // The bucket's lifecycle deletes the object; until then nothing is in it.
  for (const ref of refs) await blobs.put(ref, new Uint8Array());
  await sideBySide(keys, ([table, pk, sk]) => store.delete({ table, pk, sk }));
  return true;
}

async function closeEndpoint(
  { store, clock, ids }: ErasePorts,
  app: Erasure['app'],
  ep: EndpointId,
  retentionMs: number,
): Promise<boolean> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const there = await store.get(endpointKey(app, ep), 'consistent');
    if (there === undefined || there.deletedAt !== undefined) return true;
    const now = clock.now();
    const rules = { now, by: 'operator', why: 'erased', expiresAt: rowExpiry(now, retentionMs) } as const;
    await store.transact(deleteEndpoint(there, rules), ids.uuid());
  }
  return false;
}
