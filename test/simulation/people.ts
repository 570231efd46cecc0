/** Operators at work: replays of dead and of finished events, console redrives, pauses. Their own processes fail too. */
import type { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { EventPk, SourceId } from '#core/glossary.ts';
import { decodePauses, PAUSES_CONTROL } from '#core/inbound/pauses.ts';
import { replayEvent } from '#core/inbound/replay-event.ts';
import { readMessage } from './ledger-account.ts';
import type { Region } from './region.ts';
import type { Traffic } from './traffic.ts';
import type { Weather } from './weather.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** An event is replayed at most so often, so that a poison event comes to rest. */
const MAX_REPLAYS = 3;

export class People {
  readonly counts = { replays: 0, redrives: 0, pauses: 0 };
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
      clock.after(20 * MINUTE + this.#random.int(3 * HOUR), () => {
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
    if (draw < 0.35) await this.#replaySome(this.#deadOnes());
    else if (draw < 0.6) await this.#replaySome(this.#anyOnes());
    else if (draw < 0.75) {
      this.counts.redrives += 1;
      this.#region.dead.startMessageMoveTask(this.#region.main);
    } else if (draw < 0.8) {
      // Without a destination: the console's default, which cannot work.
      this.#region.dead.startMessageMoveTask();
    } else if (draw < 0.9) this.#region.dead.tidy(body => readMessage(body) === undefined);
    else await this.#pause(random.pick(this.#region.sources).id, 5 * MINUTE + random.int(3 * HOUR));
  }

  #anyOnes(): string[] {
    const { sentPks } = this.#traffic;
    if (sentPks.length === 0) return [];
    const recent = Math.max(0, sentPks.length - 500);
    return Array.from({ length: 5 }, () => sentPks[recent + this.#random.int(sentPks.length - recent)] as string);
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
      const request = { replayId, by: 'a person', why: 'simulated', newKey, force };
      return (await replayEvent(item, request, ports, this.#region.rules)).kind;
    });
    return outcome.kind;
  }

  async #pause(source: SourceId, forMs: number): Promise<void> {
    this.counts.pauses += 1;
    await this.#setPause(source, true);
    await this.#region.clock.sleep(forMs);
    await this.#setPause(source, false);
  }

  /** Goes on until it is written, as a person would. */
  async #setPause(source: SourceId, paused: boolean): Promise<void> {
    for (;;) {
      const process = this.#region.newProcess();
      const { control, clock } = this.#region.ports(process);
      const outcome = await process.run(async () => {
        const stored = await control.read(PAUSES_CONTROL);
        const { [source]: _, ...others } = decodePauses(stored?.value);
        const note = { since: clock.now(), by: 'a person', why: 'simulated' };
        const value = JSON.stringify(paused ? { ...others, [source]: note } : others);
        return control.write(PAUSES_CONTROL, value, stored?.version ?? 0);
      });
      if (outcome.kind === 'returned' && outcome.value) return;
      await this.#region.clock.sleep(10_000);
    }
  }
}
