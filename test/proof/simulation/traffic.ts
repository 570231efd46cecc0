/** The providers at work: arrivals over the day, retries, repetitions after a 200, other bodies, forged requests. */
import { createHash } from 'node:crypto';
import type { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { DAY_MS } from '#core/time.ts';
import { expectationOf, type HandlerPlan, pickPlan } from './event-kinds.ts';
import { expectedKeys, type Provider, type ProviderEvent, type Request } from './providers.ts';
import type { Region } from './region.ts';
import type { Weather } from './weather.ts';

const BUDGET = 15;

export interface TrafficOptions {
  readonly eventsPerDay: number;
  readonly days: number;
  /** Shares of the providers. */
  readonly shares: readonly { readonly provider: Provider; readonly share: number }[];
}

export class Traffic {
  readonly counts = {
    events: 0,
    requests: 0,
    retries: 0,
    repeated: 0,
    otherBodies: 0,
    forged: 0,
    lostAnswers: 0,
    gaveUp: 0,
  };
  /** Keys of everything sent so far. */
  readonly sentPks: string[] = [];
  /** Events whose provider is not done with them. */
  outstanding = 0;
  readonly #region: Region;
  readonly #weather: Weather;
  readonly #random: SeededRandom;
  readonly #options: TrafficOptions;
  #ids = 0;
  #end = 0;

  constructor(region: Region, weather: Weather, random: SeededRandom, options: TrafficOptions) {
    this.#region = region;
    this.#weather = weather;
    this.#random = random;
    this.#options = options;
  }

  start(): void {
    const { clock } = this.#region;
    const { days, eventsPerDay } = this.#options;
    const end = clock.now() + days * DAY_MS;
    this.#end = end;
    const meanMs = DAY_MS / eventsPerDay;
    const arrive = (): void => {
      if (clock.now() >= end) return;
      this.send(this.#newEvent());
      // Nights are quieter.
      const busy = 1 + 0.6 * Math.sin(((clock.now() % DAY_MS) / DAY_MS) * 2 * Math.PI);
      clock.after(Math.round((-Math.log(1 - this.#random.next()) * meanMs) / busy), arrive);
    };
    clock.after(this.#random.int(1_000), arrive);
    if (this.#weather.has('bursts')) this.#scheduleBurst(end);
  }

  #scheduleBurst(end: number): void {
    const { clock } = this.#region;
    clock.after(this.#random.int(DAY_MS), () => {
      if (clock.now() >= end) return;
      const size = Math.min(300, Math.ceil(this.#options.eventsPerDay / 20));
      for (let n = 0; n < size; n++) clock.after(this.#random.int(3_000), () => this.send(this.#newEvent()));
      this.#scheduleBurst(end);
    });
  }

  #newEvent(): { provider: Provider; event: ProviderEvent } {
    const random = this.#random;
    const { shares } = this.#options;
    let left = random.next() * shares.reduce((sum, { share }) => sum + share, 0);
    const chosen = shares.find(({ share }) => {
      left -= share;
      return left < 0;
    });
    const { provider } = chosen ?? (shares[0] as (typeof shares)[number]);
    return { provider, event: this.newEventOf(provider) };
  }

  newEventOf(provider: Provider): ProviderEvent {
    const random = this.#random;
    const more = provider.batches ? random.int(4) : 0;
    const others = Array.from({ length: more }, () => ({ id: this.#newId(), plan: this.#plan() }));
    const filler = random.chance(0.03) ? noise(random, 1_500) : '';
    const plan = this.#plan();
    return { source: provider.source, id: this.#newId(), createdAt: this.#region.clock.now(), plan, filler, others };
  }

  #plan(): HandlerPlan {
    const { clock, timings } = this.#region;
    const plan = pickPlan(this.#random, !this.#weather.has('handlers'));
    // What waits forever would make the run as much longer.
    const tooLate = plan.kind === 'waits' && clock.now() + timings.deferLimitMs > this.#end;
    return tooLate ? { ...plan, kind: 'commits' } : plan;
  }

  #newId(): string {
    this.#ids += 1;
    return `evt_${this.#ids.toString(36)}`;
  }

  /** Sends an event as its provider does, until it is acknowledged or given up. */
  send({ provider, event }: { provider: Provider; event: ProviderEvent }): void {
    this.counts.events += 1 + event.others.length;
    this.outstanding += 1;
    this.#announce(provider, event);
    void this.#deliver(provider, event).finally(() => {
      this.outstanding -= 1;
    });
  }

  #announce(provider: Provider, event: ProviderEvent): void {
    const { ledger } = this.#region;
    const keys = expectedKeys(provider, event, provider.request(event, 0, 0));
    const pk = `${provider.source}#${keys.request}`;
    this.sentPks.push(pk);
    const own = expectationOf(event.plan.kind, BUDGET);
    ledger.announce(pk, provider.batches ? { finals: ['completed'], effect: false, budget: BUDGET } : own);
    for (const { key, plan } of keys.items) {
      ledger.announce(`${provider.source}#${key}`, expectationOf(plan.kind, BUDGET), pk);
      this.sentPks.push(`${provider.source}#${key}`);
    }
  }

  async #deliver(provider: Provider, event: ProviderEvent): Promise<void> {
    const random = this.#random;
    const { clock } = this.#region;
    let answered = await this.attempt(provider, event, 0);
    for (const waitMs of provider.waitsMs) {
      if (answered) break;
      await clock.sleep(Math.round(waitMs * (0.9 + 0.2 * random.next())));
      this.counts.retries += 1;
      answered = await this.attempt(provider, event, this.#variant());
    }
    if (!answered) this.counts.gaveUp += 1;
    if (!this.#weather.has('duplicates') || !random.chance(answered ? 0.06 : 0.5)) return;
    // A repetition after the 200, or a person's redelivery; nobody waits for it.
    clock.after(random.chance(0.5) ? random.int(60_000) : random.int(provider.lateMs), () => {
      if (this.#weather.calm) return;
      this.counts.repeated += 1;
      void this.attempt(provider, event, this.#variant());
    });
  }

  #variant(): number {
    if (!this.#weather.has('bodies') || !this.#random.chance(0.15)) return 0;
    this.counts.otherBodies += 1;
    return 1 + this.#random.int(2);
  }

  /** One delivery; true when the provider heard a 2xx in time. */
  async attempt(provider: Provider, event: ProviderEvent, variant: number): Promise<boolean> {
    const { clock, ledger } = this.#region;
    const random = this.#random;
    const startedAt = clock.now();
    const request = provider.request(event, startedAt, variant);
    const keys = expectedKeys(provider, event, request);
    const pk = `${provider.source}#${keys.request}`;
    ledger.delivered(pk, sha256(request.body));
    for (const { key, bytes } of keys.items) ledger.delivered(`${provider.source}#${key}`, sha256(bytes));
    this.counts.requests += 1;
    if (this.#weather.has('forgeries') && random.chance(0.01)) await this.#forge(provider, pk, request);
    const lost = !this.#weather.calm && this.#weather.has('lost-answers') && random.chance(0.01);
    if (lost) this.#weather.count('answer lost on the wire');
    return new Promise(resolve => {
      let late = false;
      const giveUp = clock.after(provider.patienceMs, () => {
        late = true;
        resolve(false);
      });
      void this.#region.request(provider.source, request).then(status => {
        giveUp();
        const heard = !late && !lost;
        if (status !== undefined) ledger.answered(pk, status, startedAt, heard);
        if (status === 200 && heard) for (const { key } of keys.items) ledger.promised(`${provider.source}#${key}`);
        resolve(status === 200 && heard);
      });
    });
  }

  /** The same id with bytes nobody signed: it must be refused and leave no trace. */
  async #forge(provider: Provider, pk: string, request: Request): Promise<void> {
    this.counts.forged += 1;
    const body = Buffer.concat([request.body.subarray(0, -1), Buffer.from(',"forged":true}')]);
    const status = await this.#region.request(provider.source, { ...request, body });
    if (status !== undefined) this.#region.ledger.answeredForgery(pk, status);
  }
}

function noise(random: SeededRandom, length: number): string {
  let text = '';
  while (text.length < length) text += random.int(2 ** 32).toString(36);
  return text;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
