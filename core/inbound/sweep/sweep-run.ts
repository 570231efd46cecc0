/** What the steps of one run of the sweeper share: its time, what it knows of queues and pauses, and its rate of sends. */
import { ask, askOrSkip } from '#core/ask.ts';
import type { EpochMs, SourceId } from '#core/glossary.ts';
import { lookAgainFrom } from '#core/inbound/protocol/arrivals.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { decodePauses, PAUSES_CONTROL, type PauseNotes } from '#core/inbound/protocol/pauses.ts';
import { growShards } from '#core/inbound/protocol/shard-book.ts';
import { DEPLOY_MS, goOn, type Unbroken } from '#core/unbroken.ts';
import { type ActivityLook, activityLook } from './activity-look.ts';
import { knownSources } from './known-sources.ts';
import { SweepAges } from './sweep-ages.ts';
import { type SweepResult, sweepEvent } from './sweep-event.ts';
import type { SweepPorts, SweepRules } from './sweep-ports.ts';
import { lineOf, readSweeper, type SweeperRecord } from './sweeper-record.ts';

/**
 * Sends of unclaimed arrivals in one run while messages wait in the queue: the arrivals are most likely among those, but
 * a busy queue is never empty, and one that was never sent must not wait until it is.
 */
const SPARE_SENDS = 100;

export class SweepRun {
  readonly startedAt: EpochMs;
  readonly until: EpochMs;
  readonly ports: SweepPorts;
  readonly rules: SweepRules;
  readonly ages = new SweepAges();
  sources: readonly SourceId[] = [];
  /** Undefined: they could not be read. The processor asks for itself, so what is sent is parked again. */
  pauses: PauseNotes | undefined;
  /** Undefined: the DLQ did not say. */
  deadMessages: number | undefined;
  /** What the runs before wrote down. Undefined: it could not be read. */
  record: SweeperRecord | undefined;
  /** What this run writes down; undefined: nothing. */
  unbroken: Unbroken | undefined;
  activity: ActivityLook;
  /** A breaker is open: sends keep to half the rate. */
  breakerOpen = false;
  /** Of a piece of work that this run went on without. */
  lastError: Pick<SweeperRecord, 'error'> = {};
  /** Undefined: the queue did not say. */
  #backlog: number | undefined;
  #sent = 0;
  /** How long what was sent takes at the rate it was sent at. */
  #sentMs = 0;
  #spareSends = SPARE_SENDS;

  constructor(budgetMs: number, ports: SweepPorts, rules: SweepRules) {
    this.startedAt = ports.clock.now();
    this.until = this.startedAt + budgetMs;
    this.ports = ports;
    this.rules = rules;
    this.activity = this.#activityLook();
  }

  #activityLook(): ActivityLook {
    return activityLook(this.ports.store, this.sources, this.unbroken, work => this.guard(work));
  }

  get now(): EpochMs {
    return this.ports.clock.now();
  }

  get isOver(): boolean {
    return this.now >= this.until;
  }

  get sent(): number {
    return this.#sent;
  }

  /** This run has sent its share of unclaimed arrivals beside a queue with messages: the others count as sent. */
  get takesAsSent(): boolean {
    return this.#backlogged && this.#spareSends <= 0;
  }

  /** Messages wait in the queue. One that does not say how many gets a few more, and then counts as one with many. */
  get #backlogged(): boolean {
    return this.#backlog === undefined ? this.#spareSends <= 0 : this.#backlog > 0;
  }

  isPaused(source: SourceId): boolean {
    return this.pauses?.[source] !== undefined;
  }

  /** A call that fails costs its own piece of work this minute, not the run. */
  async guard<T>(work: () => Promise<T>): Promise<T | undefined> {
    const asked = await ask({ telemetry: this.ports.telemetry, stage: 'sweep' }, work);
    if (asked.ok) return asked.value;
    this.lastError = { error: { at: this.now, text: lineOf(asked.error) } };
    return undefined;
  }

  /** Nothing that is only measured or looked up keeps the repairs from being made: each of these may fail alone. */
  async look(): Promise<void> {
    const { gauge, control } = this.ports;
    const main = await this.guard(() => gauge.main());
    const dead = await this.guard(() => gauge.dead());
    this.#backlog = main?.visible;
    this.deadMessages = dead && dead.visible + dead.hidden;
    this.pauses = await this.guard(async () => decodePauses((await control.read(PAUSES_CONTROL))?.value));
    this.sources = (await this.guard(() => knownSources(control, this.rules.sourceIds))) ?? this.rules.sourceIds;
    this.record = await this.guard(() => readSweeper(control));
    this.unbroken = this.record && goOn(this.record.unbroken, this.startedAt);
    this.activity = this.#activityLook();
    // In a deploy ingest spreads a source further before the sweeper knows.
    const from = this.startedAt - DEPLOY_MS;
    await this.guard(() => growShards(this.rules.shards ?? {}, control, grown => lookAgainFrom(from, grown, control)));
  }

  /** Carries out what one event is due, and counts the send. Undefined: it failed, and is due again in a minute. */
  async sweepOne(item: EventItem, paused: boolean, takeAsSent = false): Promise<SweepResult | undefined> {
    const view = { now: this.now, backlogged: this.#backlogged, paused, takeAsSent };
    const asker = { telemetry: this.ports.telemetry, stage: 'sweep', fields: { pk: item.pk, status: item.status } };
    const result = await askOrSkip(asker, () => sweepEvent(item, view, this.ports, this.rules));
    if (!result?.sent) return result;
    this.#sent += 1;
    if (this.#backlog !== 0) this.#spareSends -= 1;
    this.#sentMs += 1_000 / (this.breakerOpen ? this.rules.sendsPerSecond / 2 : this.rules.sendsPerSecond);
    return result;
  }

  /** Keeps under the send rate: half of it while a breaker is open. */
  async pace(): Promise<void> {
    const ahead = this.startedAt + this.#sentMs - this.now;
    if (ahead > 0) await this.ports.timer.sleep(Math.min(ahead, Math.max(0, this.until - this.now)));
  }
}
