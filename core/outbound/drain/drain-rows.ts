/**
 * The rows of one endpoint, page by page, while the session may: pointers come in pages, messages and records only with
 * the rows that begin now (a record that was read early is an old record). Owner and gate are looked at between a page and
 * its first row, and again after two seconds; the first page goes by the lease that was just taken.
 */
import { askOrSkip } from '#core/ask.ts';
import { DependencyError } from '#core/errors.ts';
import { given } from '#core/given.ts';
import { isDropped, isOver, overAt } from '#core/outbound/protocol/decide.ts';
import type { JobId, MessageId } from '#core/outbound/protocol/ids.ts';
import { dueAtOf, dueRange, laterRange, liveRange, rowKind, rowsRange } from '#core/outbound/protocol/keys.ts';
import { attempt } from './attempt.ts';
import { fixMembers, headsOf, inRequests } from './batches.ts';
import { isOnTrial, triedRow } from './breaker.ts';
import { heldUntil, slotsOf } from './health.ts';
import { measureOldest } from './lateness.ts';
import { FULL_PAGES_TO_BE_SLOW, takeToken } from './pace.ts';
import { prepare } from './prepare.ts';
import { factsAgain, factsBeside, factsOf, type Row, settleUnsent } from './row-facts.ts';
import type { Sending } from './sending.ts';
import { hasTime, look, persist, type Session, stopFor } from './session-state.ts';

const LATER_PAGE = 10;
const RATE_WAIT_MS = 2_000;
/** What was read longer ago is read again before it is sent. */
const OLD_MS = 1_000;
const HELD_BYTES = 32 * 1024 * 1024;

/** Until nothing is due, or the session must stop; then until nothing is in the air. Never throws: what failed is in `stop`. */
export async function drainRows(session: Session): Promise<void> {
  try {
    while (session.stop === undefined) {
      if (!hasTime(session)) {
        stopFor(session, 'time');
        break;
      }
      // 1. What is due.
      const rows = await nextPage(session);
      if (rows.length === 0 && session.inAir.size === 0) break;
      // 2. Whose lease, which gate.
      if (mustLook(session, rows)) await look(session);
      if (session.stop !== undefined) break;
      // 3. A page that was not full said all: the next one is worth reading when an answer came, or after a while.
      await workOff(session, rows);
      const full = rows.length >= session.rules.timings.pageRows;
      if (!full && session.inAir.size > 0) await firstAnswer(session, session.rules.timings.pollMs);
    }
  } catch (error) {
    fail(session, error);
  }
  while (session.inAir.size > 0) await Promise.all(session.inAir.values());
  await askAtEnd(session);
}

const mustLook = ({ ports, rules, pages, lookedAt }: Session, rows: readonly Row[]): boolean =>
  (pages > 1 && rows.length > 0) || ports.clock.now() - lookedAt >= rules.timings.lookMs;

function fail(session: Session, error: unknown): void {
  stopFor(session, 'broken');
  if (error instanceof DependencyError) return;
  const told = error instanceof Error ? error.message : String(error);
  session.ports.telemetry.log('error', { message: 'a session failed', endpoint: session.ep, error: told });
}

/** Rows that are due and not in the air, in the order of their lanes. */
async function nextPage(session: Session): Promise<readonly Row[]> {
  const { ports, rules, ep, inAir, config } = session;
  const now = ports.clock.now();
  session.pages += 1;
  session.saw = undefined;
  const limit = rules.timings.pageRows + inAir.size;
  const free = (rows: readonly Row[]): Row[] => rows.filter(({ msg }) => !inAir.has(msg));
  if (session.toEnd) return tooOld(session, now);
  if (session.runtime.gate === 'deleted') {
    return free((await persist(session, () => ports.store.query({ ...rowsRange(ep), limit }))).items);
  }
  // Every tenth page belongs to what came later, so that live traffic never starves retries.
  const later = session.pages % LATER_PAGE === 0 && !config.endpoint.ordered;
  const range = later ? dueRange(ep, now, 'later') : rowsRange(ep);
  const page = session.first ?? (await persist(session, () => ports.store.query({ ...range, limit })));
  session.first = undefined;
  const due = page.items.filter(row => dueAtOf(row) <= now);
  const rows = free(due);
  const ahead = page.items[0];
  if (!later && due.length === 0 && inAir.size === 0) session.saw = { nextAt: ahead && dueAtOf(ahead) };
  if (session.fullPages < FULL_PAGES_TO_BE_SLOW)
    session.fullPages = rows.length >= rules.timings.pageRows ? session.fullPages + 1 : 0;
  if (later && rows.length === 0) return nextPage(session);
  return inLanes(session, rows);
}

/** Live, then retries, then replays; for a trial request, another of the oldest each time. */
function inLanes(session: Session, rows: readonly Row[]): readonly Row[] {
  const { health, config } = session;
  if (config.endpoint.ordered) return rows;
  if (isOnTrial(health)) {
    const heads = headsOf(session, rows);
    const from = heads.length === 0 ? 0 : (heads[triedRow(health, heads.length)] ?? 0);
    return [...rows.slice(from), ...rows.slice(0, from)];
  }
  const of = (kind: ReturnType<typeof rowKind>): readonly Row[] => rows.filter(row => rowKind(row) === kind);
  return [...of('live'), ...of('retry'), ...of('replay')];
}

/**
 * Behind a shut gate: only what is older than the retention, or was dropped. Fresh rows lie by their age, so the first one that is not too
 * old is the last that is read. Retries and replays lie by their due time: they are looked through once, and then not before
 * the next of them is too old.
 */
async function tooOld(session: Session, now: number): Promise<readonly Row[]> {
  const { ports, rules, ep } = session;
  const { pageRows } = rules.timings;
  const isOld = (row: Row): boolean => isOver(row, now, rules.retentionMs) || isDropped(row, session.runtime);
  // 1. Fresh rows.
  const live = await persist(session, () => ports.store.query({ ...liveRange(ep), limit: pageRows }));
  const old = live.items.filter(isOld);
  if (old.length > 0) return old;
  // 2. Retries and replays, a page at a time.
  while (now >= (session.health.endLaterAt ?? 0)) {
    const { cursor, nextAt } = session.later;
    const range = { ...laterRange(ep), limit: pageRows, ...given({ cursor }) };
    const page = await persist(session, () => ports.store.query(range));
    const staying = page.items.filter(row => !isOld(row)).map(row => overAt(row, rules.retentionMs));
    session.later = { cursor: page.cursor, nextAt: Math.min(nextAt, ...staying) };
    if (page.cursor === undefined) session.health = { ...session.health, endLaterAt: session.later.nextAt };
    const found = page.items.filter(isOld);
    if (found.length > 0) return found;
    if (!hasTime(session)) return [];
  }
  return [];
}

/** Begins a page's rows, as many at a time as slots are free. */
async function workOff(session: Session, page: readonly Row[]): Promise<void> {
  const { ports, rules, config, invocation } = session;
  const { lookMs, pollMs } = rules.timings;
  const waiting = [...page];
  while (waiting.length > 0 && session.stop === undefined) {
    if (ports.clock.now() - session.lookedAt >= lookMs) await look(session);
    const free = slotsOf(session.health, config.endpoint.maxConcurrency) - inFlight(session);
    if (session.stop !== undefined) return;
    if (free <= 0) await firstAnswer(session, lookMs);
    else if (invocation.held.bytes >= HELD_BYTES) await firstAnswer(session, pollMs);
    else if (!hasTime(session)) stopFor(session, 'time');
    else waiting.unshift(...(await workOffChunk(session, waiting.splice(0, chunkSize(session, free)), free)));
  }
}

/** Requests; one may carry several deliveries. */
const inFlight = ({ inAir, large }: Session): number =>
  new Set([...inAir].flatMap(([msg, done]) => (large.coming.has(msg as MessageId) ? [] : [done]))).size;

const chunkSize = ({ config: { endpoint } }: Session, free: number): number =>
  endpoint.ordered ? 1 : (endpoint.batch?.maxEvents ?? 1) * free;

/** Answers the rows that it did not come to: the bodies would be too much at once. */
async function workOffChunk(session: Session, rows: readonly Row[], free: number): Promise<readonly Row[]> {
  const readAt = session.ports.clock.now();
  // Of a batch that has begun, further rows lie on the same page.
  const begun = rows.filter(({ msg }) => !session.inAir.has(msg));
  const { facts, left } = await factsNow(session, begun);
  measureOldest(session, facts);
  const sendings: Sending[] = [];
  for (const fact of facts) {
    if (session.stop !== undefined) return left;
    const sending = await settleUnsent(session, fact);
    if (sending) sendings.push(sending);
  }
  const requests = (await inRequests(session, sendings)).slice(0, free);
  for (const each of requests) {
    if (session.stop !== undefined || !(await rateAllows(session))) return left;
    const still = session.ports.clock.now() - readAt < OLD_MS ? each : await readAgain(session, each);
    if (still.length === 0 || !(await fixMembers(session, still))) continue;
    await begin(session, still);
    // An ordered endpoint's next row begins when this one is done, and written down.
    if (session.config.endpoint.ordered) await Promise.all(session.inAir.values());
  }
  return left;
}

/** Nothing passes an ordered endpoint's head; elsewhere nobody waits for a body in the bucket that is slow. */
async function factsNow(session: Session, begun: readonly Row[]) {
  if (session.config.endpoint.ordered) {
    const facts = await factsOf(session, begun);
    return { facts, left: begun.slice(facts.length) };
  }
  const { facts, seen } = await factsBeside(session, begun);
  if (facts.length === 0 && session.large.coming.size > 0) await firstAnswer(session, session.rules.timings.pollMs);
  return { facts, left: begun.slice(seen) };
}

/** What waited for the rate or for another request: erased or dropped meanwhile, it is not sent. */
async function readAgain(session: Session, sendings: readonly Sending[]): Promise<readonly Sending[]> {
  await look(session);
  const still: Sending[] = [];
  if (session.stop !== undefined) return still;
  for (const fact of await factsAgain(session, sendings)) {
    const sending = await settleUnsent(session, fact);
    if (sending) still.push(sending);
  }
  return still;
}

/** Takes one request out of the rate limit's bucket: waits for it, or holds until there is one. */
async function rateAllows(session: Session): Promise<boolean> {
  const { ports, config } = session;
  const { rate } = config.endpoint;
  for (;;) {
    if (rate === undefined) return true;
    const now = ports.clock.now();
    const { bucket, waitMs } = takeToken(session.health.bucket, rate, now);
    session.health = { ...session.health, bucket };
    if (waitMs === 0) return true;
    if (waitMs > RATE_WAIT_MS) {
      session.health = heldUntil(session.health, now + waitMs, now);
      stopFor(session, 'held');
      return false;
    }
    await ports.timer.sleep(waitMs);
    if (ports.clock.now() - session.lookedAt >= session.rules.timings.lookMs) await look(session);
    if (session.stop !== undefined || !hasTime(session)) return false;
  }
}

async function begin(session: Session, sendings: readonly Sending[]): Promise<void> {
  const { inAir, invocation } = session;
  const prepared = prepare(session, sendings);
  const bytes = prepared.request.body.length;
  invocation.held.bytes += bytes;
  const done = attempt(session, prepared)
    .catch(error => fail(session, error))
    .finally(() => {
      invocation.held.bytes -= bytes;
      for (const { delivery } of sendings) inAir.delete(delivery.msg);
    })
    .then(() => askForMore(session, sendings));
  for (const { delivery } of sendings) inAir.set(delivery.msg, done);
}

/** Rows of a replay job that are done before it is asked for the next ones. */
const ASK_EACH = 25;

/** The session that finishes rows of a replay job asks for the next ones; `tend` repairs what is lost. */
async function askForMore(session: Session, sendings: readonly Sending[]): Promise<void> {
  const { replays } = session;
  for (const { row } of sendings) {
    if (row.job === undefined) continue;
    const done = (replays.get(row.job) ?? 0) + 1;
    replays.set(row.job, done % ASK_EACH);
    if (done >= ASK_EACH) await askFor(session, row.job);
  }
}

async function askFor({ ports, runtime, ep }: Session, job: JobId): Promise<void> {
  const asker = { telemetry: ports.telemetry, stage: 'ask_for_replays', fields: { endpoint: ep } };
  await askOrSkip(asker, () => ports.jobs.send([{ v: 1, replay: job }], runtime.app));
}

/** At the end of a session, for those that it has not asked for since. */
async function askAtEnd(session: Session): Promise<void> {
  for (const [job, done] of session.replays) if (done > 0) await askFor(session, job);
}

/** Waits until an answer is written down, for `ms` milliseconds at most. */
async function firstAnswer({ inAir, ports }: Session, ms: number): Promise<void> {
  await Promise.race([...inAir.values(), ports.timer.sleep(ms)]);
}
