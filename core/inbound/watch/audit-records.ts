/**
 * The daily check of the ledger, in production: what the protocol promises is looked for in the stored records
 * (I8, I14), and bodies whose records may outlive them get a longer life. An open event that nobody watches (its request
 * or its index entry came later than the sweeper) is watched from then on. Nothing is repaired silently: what is wrong
 * is counted and named.
 */
import { ask } from '#core/ask.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { ControlStore, EventStore, PayloadStore } from '#core/inbound/ports.ts';
import { type ArrivalCursors, isPassed, readArrivals } from '#core/inbound/protocol/arrivals.ts';
import { type EventItem, storedStatus } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { expiryAfter, FAR, rewatch, type WriteRules } from '#core/inbound/protocol/event-writes.ts';
import { PAYLOAD_MARGIN_DAYS } from '#core/inbound/protocol/retention.ts';
import { renewBody } from '#core/inbound/protocol/store-body.ts';
import type { BlobStore, Clock, Random, Telemetry } from '#core/ports.ts';
import { DAY_MS, HOUR_MS } from '#core/time.ts';

export interface AuditPorts {
  readonly store: Pick<EventStore, 'scan' | 'update'>;
  readonly control: Pick<ControlStore, 'read' | 'write'>;
  readonly payloads: Pick<PayloadStore, 'getBody' | 'raiseBody'>;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
}

type Mismatch =
  | 'owed_but_not_watched'
  | 'owed_but_expiring'
  | 'settled_but_watched'
  | 'settled_but_kept_forever'
  | 'watch_overdue'
  | 'payload_missing';

/** Share of settled records whose payload is looked for. */
const SAMPLE = 0.001;
/** Of a lifetime; a record still owed something with less payload life than this gets more. */
const RAISE_DAYS = 14;
/**
 * The large body of an open event that came so long ago is put anew each day: objects cannot be extended. The record's last
 * change says nothing: a late replay or a pause changes it, and puts nothing.
 */
const RENEW_AFTER_MS = 30 * DAY_MS;

function isOwed(item: EventItem): boolean {
  return !isTerminal(storedStatus(item)) || (item.status === 'dead_letter' && !item.dlqSent);
}

/** What the record alone says is wrong with it. */
function mismatchesOf(item: EventItem, now: EpochMs): readonly Mismatch[] {
  const owed = isOwed(item);
  const found: Mismatch[] = [];
  if (owed && item.expiresAt !== undefined) found.push('owed_but_expiring');
  if (!owed && item.watchAt !== undefined) found.push('settled_but_watched');
  if (!owed && item.expiresAt === undefined) found.push('settled_but_kept_forever');
  if (item.watchAt !== undefined && item.watchAt !== FAR && item.watchAt < now - HOUR_MS) found.push('watch_overdue');
  return found;
}

// Names of stored items: those of the first version, when this was the reconciler.
/** Where the pass over all records goes on; empty once it is finished. */
const CURSOR_CONTROL = 'reconcile-cursor';
/** When a pass over all records was finished last; before the first one, when it began. */
const FINISHED_CONTROL = 'reconcile-finished';
/** The runs of one night belong to one pass: what was finished so lately is not begun again. */
const PASS_EVERY_MS = 12 * HOUR_MS;
/** A night is too short for all records: the pass goes on in the next one. */
const TOLD_AFTER_MS = 25 * HOUR_MS;

/** How far the audit has come. */
export interface AuditState {
  /** A pass goes on in the next run. */
  readonly isUnderWay: boolean;
  /** No pass was finished after this: the end of the last one, or the beginning of the first. */
  readonly since: EpochMs;
}

/** How far the audit has come, as its runs noted it; `never` before the first run has ended. Throws what the store throws. */
export async function readAudit(control: Pick<ControlStore, 'read'>): Promise<AuditState | 'never'> {
  const [cursor, finished] = await Promise.all([control.read(CURSOR_CONTROL), control.read(FINISHED_CONTROL)]);
  if (finished === undefined) return 'never';
  return { isUnderWay: Boolean(cursor?.value), since: Number(finished.value) };
}

/**
 * One run of the audit, of several in a night: goes on where the last one stopped, and does nothing once a pass over all
 * records is finished. `LedgerPassAge` says, in seconds, that the last one was more than a day ago. A place that cannot be
 * read or kept costs no run: it begins at the first record, and the next run where this one began.
 */
export async function auditOn(
  until: EpochMs,
  ports: AuditPorts,
  rules: WriteRules,
  passEveryMs = PASS_EVERY_MS,
): Promise<void> {
  const read = await attempt(async () => ({ stored: await ports.control.read(CURSOR_CONTROL) }), ports);
  const before = await attempt(async () => ({ finished: await ports.control.read(FINISHED_CONTROL) }), ports);
  const finishedAt = Number(before?.finished?.value ?? 0);
  const isNew = !read?.stored?.value;
  if (isNew && ports.clock.now() - finishedAt < passEveryMs) return;
  const cursor = await auditRecords(until, ports, rules, read?.stored?.value || undefined);
  if (read === undefined) return;
  await attempt(() => ports.control.write(CURSOR_CONTROL, cursor ?? '', read.stored?.version ?? 0), ports);
  if (before === undefined) return;
  const now = ports.clock.now();
  const version = before.finished?.version ?? 0;
  // A gateway that never finished one: from now on it is told how long that takes.
  const noted = cursor === undefined || version === 0 ? now : finishedAt;
  if (noted === now) await attempt(() => ports.control.write(FINISHED_CONTROL, String(now), version), ports);
  const ageMs = now - noted;
  // Told where there is something to tell: a metric that is never sent costs nothing.
  if (ageMs > TOLD_AFTER_MS) ports.telemetry.measure('LedgerPassAge', ageMs / 1_000);
}

/** Scans all records until done or out of time; answers where to go on, if anywhere. */
export async function auditRecords(
  until: EpochMs,
  ports: AuditPorts,
  rules: WriteRules,
  cursor?: string,
): Promise<string | undefined> {
  let [next, scanned, wrong] = [cursor, 0, 0];
  let finished = false;
  // Read before the scan: what is behind these cursors now was behind them when its item is read.
  const cursors = await attempt(() => readArrivals(ports.control), ports);
  while (!finished && ports.clock.now() < until) {
    const page = await attempt(() => ports.store.scan(next), ports);
    if (page === undefined) break;
    for (const item of page.items) {
      // Out of time inside a page: it is read again, from its start, by the next run.
      if (ports.clock.now() >= until) break;
      scanned += 1;
      const found = [
        ...mismatchesOf(item, ports.clock.now()),
        ...((await attempt(() => watchForgotten(item, cursors ?? {}, ports), ports)) ?? []),
        ...((await attempt(() => checkPayload(item, ports, rules), ports)) ?? []),
      ];
      wrong += found.length;
      for (const mismatch of found)
        ports.telemetry.log('error', { stage: 'audit', pk: item.pk, status: item.status, cause: mismatch });
    }
    if (ports.clock.now() >= until) break;
    next = page.cursor;
    finished = next === undefined;
  }
  ports.telemetry.measure('LedgerMismatch', wrong);
  ports.telemetry.log('info', { stage: 'audit', scanned, wrong, finished });
  return finished ? undefined : next;
}

/** The scan may lag: only a write that finds the record as it was read shows that nobody watches it. */
async function watchForgotten(
  item: EventItem,
  cursors: ArrivalCursors,
  ports: AuditPorts,
): Promise<readonly Mismatch[]> {
  if (!isOwed(item) || item.watchAt !== undefined) return [];
  const mayBeFresh = item.status === 'pending' || item.status === 'processing';
  if (mayBeFresh && !isPassed(item, cursors)) return [];
  const written = await ports.store.update(rewatch(item, ports.clock.now()));
  return written.kind === 'applied' ? ['owed_but_not_watched'] : [];
}

/** A call that fails costs what it was for, not the run. */
async function attempt<T>(work: () => Promise<T>, ports: AuditPorts): Promise<T | undefined> {
  const asked = await ask({ telemetry: ports.telemetry, stage: 'audit' }, work);
  return asked.ok ? asked.value : undefined;
}

async function checkPayload(item: EventItem, ports: AuditPorts, rules: WriteRules): Promise<readonly Mismatch[]> {
  if (item.watchAt !== undefined) {
    const longest = item.status === 'dead_letter' ? rules.deadRetentionDays : rules.retentionDays;
    const days = Math.max(longest, RAISE_DAYS) + PAYLOAD_MARGIN_DAYS;
    const raised = await ports.payloads.raiseBody(item.pk, item.bodySha, expiryAfter(ports.clock.now(), days));
    const cameLongAgo = ports.clock.now() - item.receivedAt > RENEW_AFTER_MS;
    const there = raised !== 'missing' && (!cameLongAgo || (await renewBody(item, ports)));
    return !there && item.status !== 'dead_letter' ? ['payload_missing'] : [];
  }
  if (item.cause === 'payload_missing' || ports.random.next() >= SAMPLE) return [];
  return (await ports.payloads.getBody(item.pk, item.bodySha)) ? [] : ['payload_missing'];
}
