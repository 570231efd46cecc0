/** Operators at work: replays of dead and of finished events, console redrives, pauses. Their own processes fail too. */
import type { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { type EventPk, type SourceId, toSourceId } from '#core/glossary.ts';
import { pauseSource, resumeSource } from '#core/inbound/protocol/pause-source.ts';
import { replayEvent } from '#core/inbound/replay/replay-event.ts';
import { createReplayJob, type ReplayJobRequest } from '#core/inbound/replay/replay-job.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { readMessage } from './ledger-account.ts';
import { MOST_REPLAYS_PER_SECOND, type Region } from './region.ts';
import type { Traffic } from './traffic.ts';
import type { Weather } from './weather.ts';

/** An event is replayed at most so often, so that a poison event comes to rest. */
const MAX_REPLAYS = 3;
const WHO = { by: 'a person', why: 'simulated' };

export class People {
  readonly counts = { replays: 0, jobs: 0, redrives: 0, pauses: 0 };
  readonly #region: Region;
  readonly #traffic: Traffic;
  readonly #weather: Weather;
  readonly #random: SeededRandom;
  #replayIds = 0;

  constructor(region: Region, traffic: Traffic, weather: Weather, random: SeededRandom) {
    this.#region = region;
    this.#traffic = traffic;
    this.#weather = weather;
    this.#random = random;
  }

  start(): void {
    const { clock } = this.#region;
    const next = (): void => {
      clock.after(20 * MINUTE_MS + this.#random.int(3 * HOUR_MS), () => {
        if (this.#weather.calm) return;
        void this.#session();
        next();
      });
    };
    next();
  }

  async #session(): Promise<void> {
    const random = this.#random;
    const draw = random.next();
    if (draw < 0.3) await this.#replaySome(this.#deadOnes());
    else if (draw < 0.35) await this.#bulkReplay(random.pick(this.#region.sources).id);
    else if (draw < 0.6) await this.#replaySome(this.#anyOnes());
    else if (draw < 0.75) {
      this.counts.redrives += 1;
      this.#region.dead.startMessageMoveTask(this.#region.main);
    } else if (draw < 0.8) {
      // Without a destination: the console's default, which cannot work.
      this.#region.dead.startMessageMoveTask();
    } else if (draw < 0.9) this.#region.dead.tidy(body => readMessage(body) === undefined);
    else await this.pauseFor(random.pick(this.#region.sources).id, 5 * MINUTE_MS + random.int(3 * HOUR_MS));
  }

  #anyOnes(): string[] {
    const { sentPks } = this.#traffic;
    if (sentPks.length === 0) return [];
    const recent = Math.max(0, sentPks.length - 500);
    const some = Array.from({ length: 5 }, () => sentPks[recent + this.#random.int(sentPks.length - recent)] as string);
    const disputed = sentPks.slice(recent).filter(pk => this.#bodiesOf(pk).length > 1);
    return [...some, ...disputed.slice(-2)];
  }

  #bodiesOf(pk: string): readonly string[] {
    return [...new Set(this.#region.ledger.accounts.get(pk)?.bodies)];
  }

  #deadOnes(): string[] {
    const dead = this.#traffic.sentPks
      .slice(-2_000)
      .filter(pk => this.#region.ledger.accounts.get(pk)?.record?.status === 'dead_letter');
    return dead.slice(0, 10);
  }

  async #replaySome(pks: readonly string[]): Promise<void> {
    for (const pk of new Set(pks)) {
      const replays = this.#region.ledger.accounts.get(pk)?.people?.replays.size ?? 0;
      if (replays >= MAX_REPLAYS) continue;
      this.#replayIds += 1;
      const replayId = `replay-${this.#replayIds}`;
      const newKey = this.#random.chance(0.3);
      const force = this.#random.chance(0.3);
      const asked = [this.#replay(pk, replayId, newKey, force)];
      // A second person at the same time, or the same request once more.
      if (this.#random.chance(0.2)) asked.push(this.#replay(pk, `${replayId}-too`, newKey, force));
      if (this.#random.chance(0.2)) asked.push(this.#replay(pk, replayId, newKey, force));
      const done = await Promise.all(asked);
      if (done.includes('dead')) await this.#replay(pk, replayId, newKey, force);
    }
  }

  async #replay(pk: string, replayId: string, newKey: boolean, force: boolean): Promise<string> {
    const process = this.#region.newProcess();
    const ports = this.#region.ports(process);
    this.counts.replays += 1;
    const outcome = await process.run(async () => {
      const item = await ports.store.get(pk as EventPk);
      if (!item) return 'gone';
      this.#region.ledger.replayAsked(pk, replayId, newKey);
      const request = { replayId, ...WHO, newKey, force, ...this.#otherBody(pk) };
      return (await replayEvent(item, request, ports, this.#region.rules)).kind;
    });
    return outcome.kind;
  }

  /** Now and then, where an event came with several bodies: the last one that came. */
  #otherBody(pk: string): { readonly bodySha?: string } {
    const [, ...others] = this.#bodiesOf(pk);
    const last = others.at(-1);
    return last === undefined || this.#replayIds % 2 === 0 ? {} : { bodySha: last };
  }

  async pauseFor(source: string, forMs: number): Promise<void> {
    this.counts.pauses += 1;
    const id = toSourceId(source);
    await this.#insist(({ control, clock }) => pauseSource(id, WHO, { control, clock }));
    await this.#region.clock.sleep(forMs);
    await this.#insist(({ control, clock }) => resumeSource(id, { control, clock }));
  }

  /** Replays some of the events that were sent so long ago. */
  async replayOld(ageMs: number, count: number): Promise<void> {
    const { ledger, clock } = this.#region;
    const old = this.#traffic.sentPks.filter(pk => {
      const at = ledger.accounts.get(pk)?.recordedAt;
      return at !== undefined && Math.abs(clock.now() - ageMs - at) < 24 * HOUR_MS;
    });
    await this.#replaySome(Array.from({ length: count }, () => this.#random.pick(old)).filter(pk => pk !== undefined));
  }

  /** What died in the last day, or some of what was finished, once more. */
  async #bulkReplay(source: SourceId): Promise<void> {
    this.counts.jobs += 1;
    this.#region.ledger.jobsAllowed = true;
    const now = this.#region.clock.now();
    const dead = this.#random.chance(0.7);
    const statuses = [dead ? 'dead_letter' : 'completed'] as const;
    const request: ReplayJobRequest = {
      filter: { sources: [source], statuses, since: now - 24 * HOUR_MS, until: now },
      ratePerSecond: 1 + this.#random.int(MOST_REPLAYS_PER_SECOND),
      limit: dead ? 50 : 20,
      ...WHO,
    };
    await this.#insist(ports => createReplayJob(request, ports));
  }

  /** Goes on until it is done, as a person would. */
  async #insist(work: (ports: ReturnType<Region['ports']>) => Promise<unknown>): Promise<void> {
    for (;;) {
      const process = this.#region.newProcess();
      const ports = this.#region.ports(process);
      if ((await process.run(() => work(ports))).kind === 'returned') return;
      await this.#region.clock.sleep(10_000);
    }
  }
}
