/**
 * Every minute, one at a time: sends the wake-ups of endpoints whose wait is over or ends within the minute, audits,
 * reconciles, runs replay jobs and erasures, and watches our own egress. Every step may be repeated; what one minute does
 * not finish the next does.
 */

import { ask } from '#core/ask.ts';
import type { EpochMs } from '#core/glossary.ts';
import { eraseSome } from '#core/outbound/erase/erase.ts';
import type { EndpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import type { NoteRows } from '#core/outbound/fan-out/note-rows.ts';
import { pagesOf } from '#core/outbound/pages.ts';
import type { OutboundPorts, Placed } from '#core/outbound/ports.ts';
import { giveBackTend, TEND, takeTend } from '#core/outbound/protocol/control-writes.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import type { ReplayJobItem, RowItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import { controlKey, rowKind, type Span, WAKE_SHARDS, wakeRange } from '#core/outbound/protocol/keys.ts';
import { runReplayJobs } from '#core/outbound/replay/replay-job.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { goOn } from '#core/unbroken.ts';
import { type AuditPlace, audit, TURNS } from './audit.ts';
import { type Backlog, backlogItem, backlogKey, countBacklog, levelOf } from './backlog.ts';
import { guardEgress } from './egress.ts';
import { asksAll, type LooksBefore, lookedBy } from './looked.ts';
import { backlogOf, eventsOf, finishedJob, publishOperational } from './operational-events.ts';
import { type ReconcilePlace, reconcileMessages, spanAt } from './reconcile-messages.ts';
import { SUMMARY, summaryOf } from './summary.ts';

export interface TendPorts extends Omit<OutboundPorts, 'sender' | 'sealer' | 'random' | 'timer'> {
  readonly endpoints: EndpointsOf;
  readonly noteRows: NoteRows;
}
export interface TendRules {
  readonly retentionMs: number;
  readonly auditMinutes: number;
  readonly pageUrl?: string | undefined;
}

/** Of the whole run; the next one begins a minute later. */
const RUN_MS = 45_000;
/** What people asked for leaves time for the repairs, however much it is. */
const JOBS_MS = 15_000;
const ERASE_MS = 8_000;
const LEASE_MS = 70_000;
/** Until the next run: what is due before it gets a wake-up with a delay of its own, or all would be woken at one second. */
const COMING_MS = MINUTE_MS;
/** Waits up to so far ahead are read for the egress guard: the longest hold. */
const HOLDS_MS = 15 * MINUTE_MS;

interface Memory extends LooksBefore {
  /** When the last audit began. */
  readonly auditedAt: EpochMs;
  /** Of an audit that is under way; and whether it asks all endpoints for their rows, as those of older versions do. */
  readonly auditPlace?: AuditPlace | undefined;
  readonly auditsAll?: boolean;
  readonly withTraffic: number;
  readonly reconciledAt: EpochMs;
  /** The end of the last pass that came to its end: the next one begins there. */
  readonly reconciledTo?: EpochMs;
  /** Of a pass that is under way: its messages, and the place it came to. */
  readonly reconcileSpan?: Span | undefined;
  readonly reconcilePlace?: ReconcilePlace | undefined;
  /** The oldest message of that pass that was lost. */
  readonly lostSince?: EpochMs | undefined;
}
const NOTHING: Memory = { auditedAt: 0, withTraffic: 0, reconciledAt: 0 };

/** One run. False: another one is at work. Throws what a step failed with, a bug before a DependencyError; the others were tried. */
export async function tend(ports: TendPorts, rules: TendRules): Promise<boolean> {
  const { clock, telemetry } = ports;
  const until = clock.now() + RUN_MS;
  // 1. One at a time.
  const lease = await takeLease(ports);
  if (!lease) return false;
  let memory: Memory = { ...lease.memory, unbroken: goOn(lease.memory.unbroken, clock.now()) };
  const failures: unknown[] = [];
  const step = async (work: () => Promise<void>): Promise<void> => {
    if (clock.now() >= until) return;
    try {
      const asked = await ask({ telemetry, stage: 'tend' }, work);
      if (!asked.ok) failures.push(asked.error);
    } catch (bug) {
      failures.unshift(bug);
    }
  };
  // 2. Waits that are over, and whether too many began at once.
  await step(() => wakeDue(ports, memory.withTraffic));
  // 3. What people asked for.
  const within = (ms: number): EpochMs => Math.min(until, clock.now() + ms);
  const tell = (job: ReplayJobItem) => publishOperational(ports, rules, finishedJob(job));
  await step(() => runReplayJobs(ports, rules, within(JOBS_MS), tell));
  await step(() => eraseSome(ports, rules.retentionMs, within(ERASE_MS)));
  // 4. What a queue lost.
  await step(async () => {
    const isDue = clock.now() - memory.auditedAt >= rules.auditMinutes * MINUTE_MS;
    if (memory.auditPlace === undefined && !isDue) return;
    const begins = memory.auditPlace === undefined;
    const auditedAt = begins ? clock.now() : memory.auditedAt;
    const auditsAll = begins ? asksAll(memory, auditedAt) : (memory.auditsAll ?? true);
    const looked = auditsAll ? 'all' : await lookedBy(ports.store, memory, clock.now());
    const found = await auditSome(ports, rules, { place: memory.auditPlace, until, looked });
    memory = { ...memory, ...found, auditedAt, auditsAll };
    if (memory.auditPlace === undefined) memory = { ...memory, ...lookedThen(memory) };
  });
  await step(async () => {
    if (memory.reconcilePlace === undefined && clock.now() - memory.reconciledAt < HOUR_MS) return;
    memory = { ...memory, ...(await reconcile(ports, memory, { until })), reconciledAt: clock.now() };
  });
  // 5. The lease goes back, with what the next run must know.
  await giveBack(ports, lease.me, memory);
  telemetry.count('TendRuns');
  if (failures.length > 0) throw failures[0];
  return true;
}

async function wakeDue(ports: TendPorts, withTraffic: number): Promise<void> {
  const { store, wake, slow, clock, telemetry } = ports;
  const now = clock.now();
  const waiting: EndpointId[] = [];
  const shards = Array.from({ length: WAKE_SHARDS }, (_, shard) => shard);
  await Promise.all(
    shards.map(async shard => {
      for await (const page of pagesOf(store, { ...wakeRange(shard, now + HOLDS_MS), limit: 1_000 })) {
        const listed = page.map(({ pk, gsk }) => ({
          ep: pk.slice(2) as EndpointId,
          at: Number(gsk.slice(0, 13)),
        }));
        const due = listed.filter(({ at }) => at <= now);
        if (due.length > 0) await wake.send(due.map(({ ep }) => ({ v: 1, ep })));
        // A session sent the wake-up of a short wait itself; a second one finds nothing due, and is dropped.
        const coming = listed.filter(({ at }) => at > now && at <= now + COMING_MS);
        const delays = coming.map(({ at }) => Math.ceil((at - now) / 1_000));
        if (coming.length > 0)
          await slow.send(
            coming.map(({ ep }) => ({ v: 1, ep })),
            delays,
          );
        waiting.push(...listed.map(({ ep }) => ep));
      }
    }),
  );
  if (await guardEgress(store, waiting, { withTraffic, now })) telemetry.count('EgressSuspect');
}

/** A pass, or the rest of one; the next begins behind it, but not behind a message whose job was lost. */
async function reconcile(
  ports: TendPorts,
  { reconcilePlace, reconcileSpan, reconciledTo, lostSince }: Memory,
  limits: { readonly until: EpochMs },
): Promise<Partial<Memory>> {
  const underWay = reconcilePlace === undefined ? undefined : reconcileSpan;
  const span = underWay ?? spanAt(ports.clock.now(), reconciledTo);
  const pass = await reconcileMessages(ports, { span, place: underWay && reconcilePlace, ...limits });
  const lost = Math.min(
    underWay === undefined ? Number.POSITIVE_INFINITY : (lostSince ?? Number.POSITIVE_INFINITY),
    pass.lostSince ?? Number.POSITIVE_INFINITY,
  );
  // An undefined one is not stored.
  const known = { lostSince: Number.isFinite(lost) ? lost : undefined };
  if (pass.place !== undefined) return { ...known, reconcileSpan: span, reconcilePlace: pass.place };
  const over = { reconcileSpan: undefined, reconcilePlace: undefined, lostSince: undefined };
  return { ...over, reconciledTo: Math.min(span.to, lost) };
}

/** A look came to its end: what it did not see, because it came meanwhile, is the next one's. */
function lookedThen({ auditedAt, auditsAll, walkedAt, turn = 0 }: Memory): LooksBefore {
  return { lookedAt: auditedAt, walkedAt: auditsAll ? auditedAt : walkedAt, turn: (turn + 1) % TURNS };
}

/** An audit, or the rest of one; what it found is told at its end. */
async function auditSome(
  ports: TendPorts,
  rules: TendRules,
  from: Parameters<typeof audit>[2],
): Promise<Partial<Memory>> {
  const { clock, telemetry } = ports;
  const { counts, place } = await audit(ports, rules.retentionMs, from, async (runtime, first) => {
    const now = clock.now();
    const backlog = await backlogAt(ports, runtime, first);
    const told = first && backlog && backlogOf(runtime, first, backlog, now);
    for (const op of [...eventsOf(runtime, now), ...(told ? [told] : [])])
      await publishOperational(ports, rules, { ...op, at: now });
    return backlog?.waiting ?? 0;
  });
  if (place !== undefined) return { auditPlace: place };
  await ports.store.put({ kind: 'put', key: controlKey(SUMMARY), item: summaryOf(counts, clock.now()) });
  telemetry.measure('DeliveriesWaiting', counts.waiting);
  telemetry.measure('EndpointsOnHold', counts.onHold);
  telemetry.measure('EndpointsShut', counts.disabled);
  return { auditPlace: undefined, withTraffic: counts.withTraffic };
}

/** Younger ones wait for their turn. */
const BACKLOG_MS = 5 * MINUTE_MS;

async function backlogAt(
  { store, clock }: TendPorts,
  runtime: RuntimeItem,
  first: Placed<RowItem> | undefined,
): Promise<Backlog | undefined> {
  const now = clock.now();
  if (first === undefined || rowKind(first) !== 'live' || now - first.createdAt < BACKLOG_MS) return undefined;
  const backlog = await countBacklog(store, runtime.ep);
  if (levelOf(backlog) !== undefined)
    await store.put({ kind: 'put', key: backlogKey(runtime.ep), item: backlogItem(backlog, now) });
  return backlog;
}

async function takeLease({ store, clock, ids }: TendPorts): Promise<{ me: string; memory: Memory } | undefined> {
  const me = ids.uuid();
  const now = clock.now();
  const there = await store.get(TEND, 'consistent');
  const value = there?.value ?? JSON.stringify(NOTHING);
  const taken = await store.update(takeTend(there?.version ?? 0, { me, now, until: now + LEASE_MS, value }));
  const own = taken.kind === 'applied' || (taken.item as { owner?: string } | undefined)?.owner === me;
  return own ? { me, memory: { ...NOTHING, ...(JSON.parse(value) as Partial<Memory>) } } : undefined;
}

async function giveBack({ store }: TendPorts, me: string, memory: Memory): Promise<void> {
  await store.update(giveBackTend(me, JSON.stringify(memory)));
}
