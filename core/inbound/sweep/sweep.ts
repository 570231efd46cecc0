/**
 * The sweeper, once a minute: what was recorded but not handled is sent again, parked events come back when they are
 * due, deaths get their DLQ message, the DLQ is drained of what a person already dealt with. Holds I3 and the liveness
 * half of I2; one bad item never stops a run.
 */
import { ask, askOrSkip } from '#core/ask.ts';
import { type EpochMs, type SourceId, splitEventPk } from '#core/glossary.ts';
import { SECOND_LOOK_CONTROL } from '#core/inbound/protocol/arrivals.ts';
import { type EventItem, storedStatus, WATCH_SHARDS } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { FAR } from '#core/inbound/protocol/event-writes.ts';
import { decodePauses, PAUSES_CONTROL, type PauseNotes } from '#core/inbound/protocol/pauses.ts';
import { runReplayJobs } from '#core/inbound/replay/run-replay-jobs.ts';
import { LONGEST_PARK_MS } from '#core/retry/breaker.ts';
import { drainDeadQueue } from './drain-dead-queue.ts';
import { failedAt } from './judge-handlers.ts';
import { knownSources } from './known-sources.ts';
import { readRefusedFor } from './read-refused.ts';
import { type ArrivalsRun, sweepArrivals } from './sweep-arrivals.ts';
import { dueSince, type SweepResult, sweepEvent } from './sweep-event.ts';
import type { SweepPorts, SweepRules } from './sweep-ports.ts';
import { type Handler, tellConcerns } from './tell-concerns.ts';

const LEASE_CONTROL = 'sweeper-lease';
const AT_ONCE = 25;
/** What an open breaker parks is due within this. */
const BREAKER_PARK_MS = LONGEST_PARK_MS + 5_000;
/** Share of a run that arrivals may take where many wait, so that what is watched gets its turn. */
const ARRIVALS_SHARE = 0.5;
/**
 * Sends of unclaimed arrivals in one run while messages wait in the queue: the arrivals are most likely among those, but
 * a busy queue is never empty, and one that was never sent must not wait until it is.
 */
const SPARE_SENDS = 100;
/**
 * Distance of the second look, in first ones (10 minutes more in production): an ingest clock that is late by less, or a
 * sweeper's that is early, cannot hide an arrival behind the first cursor.
 */
const SECOND_LOOK = 5;
/** Two clocks and a claim between a read and a write: enough for any honest race. */
const MAX_ROUNDS = 4;
/** Share of a run kept free of replay jobs, for the drain and the report. */
const CLOSE_SHARE = 0.1;

interface Ages {
  unsent: number;
  unfinished: number;
  parkedDue: number;
  paused: number;
}

/**
 * One run, until `budgetMs` is spent:
 *  1. take the sweeper's lease (another run at work: leave);
 *  2. look at queues, pauses and known sources;
 *  3. go through what arrived since the last run, a grace behind the clock, and watch what is still open; and once more
 *     through what arrived minutes earlier, for what a late clock wrote behind the cursor;
 *  4. for each source and shard, carry out what is due, oldest first;
 *  5. bring back what a pause that is over left parked;
 *  6. see which sources are refused for a wrong secret;
 *  7. tell what people should hear of once: the first conflict of a source, handlers that only fail;
 *  8. go on with replay jobs, in the time that live events left;
 *  9. drain the DLQ;
 *  10. report.
 */
export async function sweep(budgetMs: number, ports: SweepPorts, rules: SweepRules): Promise<void> {
  const startedAt = ports.clock.now();
  const run = new SweepRun(startedAt, startedAt + budgetMs, ports, rules);
  if (!(await run.takeLease())) return;
  await run.look();
  await run.sweepArrivals();
  await run.sweepSources();
  await run.watchRefusals();
  await run.tellConcerns();
  await runReplayJobs(startedAt + budgetMs * (1 - CLOSE_SHARE), ports, rules);
  await run.close();
}

class SweepRun {
  readonly #startedAt: EpochMs;
  readonly #until: EpochMs;
  readonly #ports: SweepPorts;
  readonly #rules: SweepRules;
  readonly #ages: Ages = { unsent: 0, unfinished: 0, parkedDue: 0, paused: 0 };
  #sources: readonly SourceId[] = [];
  /** Undefined: they could not be read. The processor asks for itself, so what is sent is parked again. */
  #pauses: PauseNotes | undefined;
  /** Undefined: the queue did not say. */
  #backlog: number | undefined;
  #deadMessages: number | undefined;
  #sent = 0;
  /** How long what was sent takes at the rate it was sent at. */
  #sentMs = 0;
  #breakerOpen = false;
  #spareSends = SPARE_SENDS;
  /** Handlers of arrivals that failed, by source and type. */
  readonly #failing = new Map<string, Handler>();

  constructor(startedAt: EpochMs, until: EpochMs, ports: SweepPorts, rules: SweepRules) {
    this.#startedAt = startedAt;
    this.#until = until;
    this.#ports = ports;
    this.#rules = rules;
  }

  /** False: another run is at work. A lease that cannot be asked for stops nobody: two sweepers undo nothing. */
  async takeLease(): Promise<boolean> {
    const { control } = this.#ports;
    const taken = await this.#guard(async () => {
      const held = await control.read(LEASE_CONTROL);
      if (held && Number(held.value) > this.#startedAt) return false;
      return control.write(LEASE_CONTROL, String(this.#until), held?.version ?? 0);
    });
    return taken ?? true;
  }

  /** Nothing that is only measured or looked up keeps the repairs from being made: each of these may fail alone. */
  async look(): Promise<void> {
    const { gauge, control } = this.#ports;
    const main = await this.#guard(() => gauge.main());
    const dead = await this.#guard(() => gauge.dead());
    this.#backlog = main?.visible;
    this.#deadMessages = dead && dead.visible + dead.hidden;
    this.#pauses = await this.#guard(async () => decodePauses((await control.read(PAUSES_CONTROL))?.value));
    this.#sources = (await this.#guard(() => knownSources(control, this.#rules.sourceIds))) ?? this.#rules.sourceIds;
  }

  /** Messages wait in the queue. One that does not say how many gets a few more, and then counts as one with many. */
  get #backlogged(): boolean {
    return this.#backlog === undefined ? this.#spareSends <= 0 : this.#backlog > 0;
  }

  #isPaused(source: SourceId): boolean {
    return this.#pauses?.[source] !== undefined;
  }

  async sweepArrivals(): Promise<void> {
    const { store, control, clock } = this.#ports;
    const upTo = this.#startedAt - this.#rules.timings.firstWatchMs;
    const run: ArrivalsRun = {
      sources: this.#sources,
      upTo,
      until: this.#startedAt + (this.#until - this.#startedAt) * ARRIVALS_SHARE,
      now: () => clock.now(),
      cover: (items, source) => this.#cover(items, this.#isPaused(source)),
      guard: work => this.#guard(work),
    };
    const reached = await this.#guard(() => sweepArrivals(run, store, control));
    const late = { ...run, upTo: upTo - SECOND_LOOK * this.#rules.timings.firstWatchMs };
    await this.#guard(() => sweepArrivals(late, store, control, SECOND_LOOK_CONTROL));
    // What was not looked at may be unfinished for as long.
    const behind = Math.min(upTo, ...Object.values(reached ?? {}));
    if (behind < upTo) this.#ages.unfinished = Math.max(this.#ages.unfinished, (clock.now() - behind) / 1_000);
  }

  async #cover(items: readonly EventItem[], paused: boolean): Promise<boolean> {
    for (const item of items) this.#noteFailure(item);
    const open = items.filter(item => !isCovered(item));
    let covered = true;
    for (let at = 0; at < open.length; at += AT_ONCE) {
      const some = await Promise.all(open.slice(at, at + AT_ONCE).map(item => this.#coverOne(item, paused)));
      covered &&= some.every(it => it);
      await this.#pace();
    }
    return covered;
  }

  /** What changed since it was read is looked at again: it may be claimed now, and is watched no more than before. */
  async #coverOne(read: EventItem, paused: boolean): Promise<boolean> {
    this.#noteAge(read);
    let item = read;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      if (isCovered(item)) return true;
      const result = await this.#sweepOne(item, paused, this.#backlogged && this.#spareSends <= 0);
      if (result?.written === undefined) return false;
      if (result.written.kind === 'applied' || result.written.item === undefined) return true;
      item = result.written.item;
    }
    return false;
  }

  /** Sources in turn, a page each, so that one source's flood cannot starve the others. */
  async sweepSources(): Promise<void> {
    let open = this.#sources.flatMap(source => this.#ranges(source));
    while (open.length > 0 && this.#ports.clock.now() < this.#until) {
      const next: Range[] = [];
      for (const range of open) {
        if (this.#ports.clock.now() >= this.#until) return;
        const more = await this.#guard(() => this.#sweepPage(range));
        if (more) next.push(more);
      }
      open = next;
    }
  }

  async watchRefusals(): Promise<void> {
    for (const source of this.#rules.sourceIds) {
      if (this.#ports.clock.now() >= this.#until) return;
      const refusedForMs = await this.#guard(() => readRefusedFor(source, this.#ports, this.#rules.timings));
      if (refusedForMs !== undefined) this.#ports.telemetry.measure('RefusedOnlyFor', refusedForMs / 1_000, { source });
    }
  }

  async tellConcerns(): Promise<void> {
    if (this.#ports.clock.now() >= this.#until) return;
    await this.#guard(() => tellConcerns([...this.#failing.values()], this.#ports, this.#rules.timings));
  }

  #noteFailure(item: EventItem): void {
    if (failedAt(item) === undefined) return;
    const { sourceId: source } = splitEventPk(item.pk);
    this.#failing.set(`${source} ${item.eventType}`, { source, eventType: item.eventType });
  }

  /** A call that fails costs its own page this minute, not the run. */
  async #guard<T>(work: () => Promise<T>): Promise<T | undefined> {
    const asked = await ask({ telemetry: this.#ports.telemetry, stage: 'sweep' }, work);
    return asked.ok ? asked.value : undefined;
  }

  #ranges(source: SourceId): Range[] {
    const shards = Array.from({ length: WATCH_SHARDS }, (_, n) => `${source}#${n}`);
    const due = shards.map(shard => ({ source, shard, before: this.#startedAt }));
    // The oldest paused event of a paused source is looked at for its age; of the others, all are brought back.
    // Not while nobody knows which are paused: all of them would be sent, and parked again.
    if (this.#pauses === undefined) return due;
    const far = shards.map(shard => ({ source, shard, from: FAR, before: FAR + 1 }));
    return [...due, ...far];
  }

  async #sweepPage(range: Range): Promise<Range | undefined> {
    const { shard, from, before, cursor } = range;
    const page = await this.#ports.store.watchDue(shard, { before, ...(from === undefined ? {} : { from }) }, cursor);
    const parkedFar = from === FAR;
    const paused = this.#isPaused(range.source);
    for (let at = 0; at < page.items.length; at += AT_ONCE) {
      if (this.#ports.clock.now() >= this.#until) return undefined;
      const pks = page.items.slice(at, at + AT_ONCE).map(it => it.pk);
      const items = await this.#ports.store.getMany(pks);
      // The index lags: what is no longer due by the item itself is left alone.
      const due = items.filter(
        it => it.watchAt !== undefined && (parkedFar ? it.watchAt === FAR : it.watchAt <= before),
      );
      for (const item of due) this.#noteAge(item);
      if (parkedFar && paused) {
        if (due.length > 0) this.#notePause(range.source);
        return undefined;
      }
      this.#breakerOpen ||= due.some(isParkedByBreaker) && (await this.#breakerParks(shard));
      await Promise.all(due.map(item => this.#sweepOne(item, paused)));
      await this.#pace();
    }
    return page.cursor === undefined ? undefined : { ...range, cursor: page.cursor };
  }

  async #sweepOne(item: EventItem, paused: boolean, takeAsSent = false): Promise<SweepResult | undefined> {
    const view = { now: this.#ports.clock.now(), backlogged: this.#backlogged, paused, takeAsSent };
    const asker = { telemetry: this.#ports.telemetry, stage: 'sweep', fields: { pk: item.pk, status: item.status } };
    const result = await askOrSkip(asker, () => sweepEvent(item, view, this.#ports, this.#rules));
    if (!result?.sent) return result;
    this.#sent += 1;
    if (this.#backlog !== 0) this.#spareSends -= 1;
    this.#sentMs += 1_000 / (this.#breakerOpen ? this.#rules.sendsPerSecond / 2 : this.#rules.sendsPerSecond);
    return result;
  }

  /**
   * Whether a breaker is open now: it has just parked events of this shard. Asked only where parked ones come back, and
   * of the records themselves, because a breaker lives in the memory of one processor.
   */
  async #breakerParks(shard: string): Promise<boolean> {
    const now = this.#ports.clock.now();
    const soon = await this.#ports.store.watchDue(shard, { from: now + 1, before: now + BREAKER_PARK_MS });
    const items = await this.#ports.store.getMany(soon.items.slice(0, AT_ONCE).map(it => it.pk));
    return items.some(isParkedByBreaker);
  }

  /** Keeps under the send rate: half of it while a breaker is open. */
  async #pace(): Promise<void> {
    const ahead = this.#startedAt + this.#sentMs - this.#ports.clock.now();
    if (ahead > 0) await this.#ports.timer.sleep(Math.min(ahead, Math.max(0, this.#until - this.#ports.clock.now())));
  }

  #noteAge(item: EventItem): void {
    const now = this.#ports.clock.now();
    const since = dueSince(item, now);
    if (since === undefined) return;
    const age = (now - since) / 1_000;
    if (item.parked) {
      if (item.watchAt !== FAR) this.#ages.parkedDue = Math.max(this.#ages.parkedDue, age);
    } else if (item.status === 'pending' && item.enqueuedAt === undefined) {
      this.#ages.unsent = Math.max(this.#ages.unsent, age);
    } else if (item.status !== 'dead_letter') {
      this.#ages.unfinished = Math.max(this.#ages.unfinished, age);
    }
  }

  #notePause(source: SourceId): void {
    const since = this.#pauses?.[source]?.since ?? this.#ports.clock.now();
    this.#ages.paused = Math.max(this.#ages.paused, (this.#ports.clock.now() - since) / 1_000);
  }

  /** Dead letters by their records: all that are open, and those whose messages the DLQ has not dropped for their age. */
  async #countDeaths(): Promise<Deaths> {
    const keptSince = this.#ports.clock.now() - this.#rules.deadQueueRetentionSeconds * 1_000;
    let open = 0;
    let inQueue = 0;
    let oldestDeadAt = Number.POSITIVE_INFINITY;
    for (const source of this.#sources) {
      let cursor: string | undefined;
      do {
        const page = await this.#ports.store.attention(source, cursor);
        open += page.items.length;
        const times = page.items.map(it => Number(it.attentionAt.slice(0, 13)));
        const kept = times.filter(at => at > keptSince);
        inQueue += kept.length;
        oldestDeadAt = Math.min(oldestDeadAt, ...kept);
        cursor = page.cursor;
      } while (cursor !== undefined && this.#ports.clock.now() < this.#until);
    }
    return { open, inQueue, oldestExpiresInMs: oldestDeadAt - keptSince };
  }

  /**
   * Dead letters that cannot be counted keep nothing else from being told: without the ages two alarms would say that
   * events are stuck. Such a run is not counted as one, so that minutes of them are noticed.
   */
  async close(): Promise<void> {
    const { telemetry } = this.#ports;
    const deaths = await this.#guard(() => this.#countDeaths());
    // What cannot be counted is looked through: the messages say for themselves whether their death is over.
    const dealtWith = this.#deadMessages === undefined || this.#deadMessages > (deaths?.inQueue ?? 0);
    if (dealtWith) await this.#guard(() => drainDeadQueue(this.#until, this.#ports));
    telemetry.measure('UnsentOldestAge', this.#ages.unsent);
    telemetry.measure('UnfinishedOldestAge', this.#ages.unfinished);
    telemetry.measure('ParkedDue', this.#ages.parkedDue);
    telemetry.measure('PausedOldestAge', this.#ages.paused);
    if (deaths) {
      telemetry.count('SweeperRuns');
      telemetry.measure('OpenDeadLetters', deaths.open);
      // A message that is gone expires no more: the alarm must be OK again before the next one comes near its end.
      if (deaths.inQueue > 0) telemetry.measure('DlqOldestExpiresIn', deaths.oldestExpiresInMs / 1_000);
    }
    for (const source of this.#rules.reportSilence ?? []) telemetry.count('Accepted', { source }, 0);
    telemetry.log('debug', {
      stage: 'sweep',
      sent: this.#sent,
      breaker_open: this.#breakerOpen,
      sources: this.#sources.length,
      ...(deaths === undefined ? {} : { open_dead_letters: deaths.open }),
    });
  }
}

function isParkedByBreaker(item: EventItem): boolean {
  return item.status === 'deferred' && item.parked === true && item.waitsFor !== undefined;
}

/** The cursor may pass it: nothing is owed for it, or the watch has it. */
function isCovered(item: EventItem): boolean {
  return item.watchAt !== undefined || isTerminal(storedStatus(item));
}

interface Deaths {
  readonly open: number;
  readonly inQueue: number;
  /** Of the oldest in the queue; meaningless where none is. */
  readonly oldestExpiresInMs: number;
}

interface Range {
  readonly source: SourceId;
  readonly shard: string;
  readonly from?: EpochMs;
  readonly before: EpochMs;
  readonly cursor?: string;
}
