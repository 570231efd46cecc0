/**
 * A discrete-event simulation of one design under one load: requests, environments, write units, the queue, its pollers,
 * waits. Of `thin` events one is simulated, against quotas divided by `thin`.
 */
import { Heap } from '#adapters/memory/heap.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { Design, Load, Times } from './design.ts';
import { BURST, MINUTE, Observations, OUTAGE, type Result } from './observations.ts';
import type { Quotas } from './quotas.ts';
import { Bucket, TABLE_PATIENCE, Table } from './rates.ts';

const ARRIVALS_END = 45 * MINUTE;
const GIVE_UP = 6 * 60 * MINUTE;
/** What a provider waits before it sends again, and how often. */
const PROVIDER = { wait: 60, retries: 8 };
const FAIL_SECONDS = 1;
const PARK_SECONDS = 15;
/** Of a copy of what was refused: this, then twice as long each time (core/inbound/process/wait-outside.ts). */
const COPY = { firstSeconds: 30, mostSeconds: 900 };
const SIGMA = 0.35;
const TABLE = 'write units of the table';
const SECRETS = 'BatchGetSecretValue calls per second';
const INDEX_KEY = 'write units of one index key';

interface Message {
  /** Its accept could not be written: whoever processes it writes it first. */
  readonly spilled: boolean;
  receives: number;
  /** Times it waited as a delayed copy. */
  copies: number;
}
type Happening =
  | { readonly kind: 'arrive'; readonly tries: number }
  | { readonly kind: 'accepted'; readonly spilled: boolean }
  | { readonly kind: 'enqueue'; readonly message: Message }
  | { readonly kind: 'copy'; readonly message: Message }
  | { readonly kind: 'batch'; readonly batch: readonly Message[]; readonly failed: boolean }
  | { readonly kind: 'free' }
  | { readonly kind: 'sweep' };

function targetOf(target: NonNullable<Design['target']>, quotas: Quotas, thin: number): Bucket {
  const { startExecutionPerSecond, startExecutionBurst, putEventsPerSecond, fifoSendsPerSecond } = quotas;
  const [rate, burst] = {
    StartExecution: [startExecutionPerSecond, startExecutionBurst] as const,
    PutEvents: [putEventsPerSecond, putEventsPerSecond] as const,
    FIFO: [fifoSendsPerSecond, fifoSendsPerSecond] as const,
  }[target];
  return new Bucket(rate / thin, burst / thin);
}

export class Growth {
  readonly #heap = new Heap<{ readonly at: number; readonly what: Happening }>((a, b) => a.at < b.at);
  readonly #random = new SeededRandom(7);
  #now = 0;
  readonly #queue: Message[] = [];
  #head = 0;
  readonly #parked: { readonly due: number; readonly message: Message }[] = [];
  #parkedHead = 0;
  #running = 0;
  #pollers = 0;
  #hidden = 0;
  /** Delayed copies. */
  #outside = 0;
  readonly #api: Bucket;
  readonly #routes: Bucket | undefined;
  readonly #environments: Bucket;
  #warm: number;
  readonly #secrets: Bucket;
  readonly #target: Bucket | undefined;
  readonly #table: Table;
  readonly #key: Table;
  /** Name, write units of an accept, and the throughput of its own. */
  readonly #besides: readonly (readonly [name: string, units: number, table: Table])[];
  readonly #seen: Observations;

  readonly #design: Design;
  readonly #load: Load;
  readonly #times: Times;
  readonly #quotas: Quotas;
  readonly #thin: number;

  constructor(design: Design, load: Load, times: Times, quotas: Quotas, thin: number) {
    this.#design = design;
    this.#load = load;
    this.#times = times;
    this.#quotas = quotas;
    this.#thin = thin;
    this.#seen = new Observations(load.perSecond / thin);
    this.#api = new Bucket(quotas.apiPerSecond / thin, quotas.apiBurst / thin);
    const { throttle, keysPerSource } = design;
    // The load is spread evenly: the routes of all sources together are one bucket, their index keys one key.
    const share = load.sources / thin;
    this.#routes = throttle && new Bucket(throttle.rate * share, throttle.burst * share);
    this.#environments = new Bucket(quotas.newEnvironmentsPer10s / 10 / thin, quotas.newEnvironmentsPer10s / thin);
    this.#warm = (load.perSecond * 0.1) / thin;
    this.#table = new Table(quotas.tableFirst / thin, quotas.tableMost / thin);
    this.#besides = Object.entries(design.besides ?? {}).map(([name, units]) => [
      `write units of ${name}`,
      units,
      new Table(quotas.otherFirst / thin, quotas.tableMost / thin),
    ]);
    this.#secrets = new Bucket(quotas.secretBatchesPerSecond / thin, quotas.secretBatchesPerSecond / thin);
    this.#target = design.target && targetOf(design.target, quotas, thin);
    const keyUnits = quotas.indexKeyUnits * keysPerSource * share;
    this.#key = new Table(keyUnits, keyUnits);
  }

  run(): Result {
    this.#plan(0, { kind: 'arrive', tries: 0 });
    if (this.#design.waits.kind === 'outside') this.#plan(1, { kind: 'sweep' });
    for (let next = this.#heap.pop(); next !== undefined && next.at < GIVE_UP; next = this.#heap.pop()) {
      this.#now = next.at;
      this.#happen(next.what);
      this.#seen.noteDrain(this.#now);
      if (this.#now > ARRIVALS_END && this.#seen.open === 0) break;
    }
    return this.#seen.result(this.#thin);
  }

  #plan(at: number, what: Happening): void {
    this.#heap.push({ at, what });
  }

  #happen(what: Happening): void {
    switch (what.kind) {
      case 'arrive':
        if (what.tries === 0) this.#scheduleNext();
        this.#arrive(what.tries);
        return;
      case 'accepted':
        this.#running -= 1;
        this.#seen.open += 1;
        this.#plan(this.#now + this.#draw(this.#times.handOverMs), {
          kind: 'enqueue',
          message: { spilled: what.spilled, receives: 0, copies: 0 },
        });
        return;
      case 'enqueue':
        this.#queue.push(what.message);
        this.#poll();
        return;
      case 'copy':
        this.#outside -= 1;
        this.#queue.push(what.message);
        this.#poll();
        return;
      case 'batch':
        this.#finish(what.batch, what.failed);
        return;
      case 'free':
        this.#hidden -= 1;
        return;
      case 'sweep':
        this.#sweep();
        return;
    }
  }

  #scheduleNext(): void {
    const inBurst = this.#now >= BURST.from && this.#now < BURST.to;
    const rate = (this.#load.perSecond * (inBurst ? this.#load.burst : 1)) / this.#thin;
    const next = this.#now - Math.log(1 - this.#random.next()) / rate;
    if (next < ARRIVALS_END) this.#plan(next, { kind: 'arrive', tries: 0 });
  }

  #arrive(tries: number): void {
    if (!this.#api.take(this.#now, 1)) {
      this.#refuse('API Gateway requests per second', tries);
      return;
    }
    if (this.#routes?.take(this.#now, 1) === false) {
      this.#refuse('throttle of a route', tries);
      return;
    }
    const cold = this.#invoke();
    if (cold === undefined) {
      this.#refuse('Lambda environments', tries);
      return;
    }
    const wait = this.#table.take(this.#now, this.#design.units.accept);
    const keyWait = this.#key.take(this.#now, this.#design.unitsOnOneKey);
    const waits = [[TABLE, wait], ...this.#besidesWait(), [INDEX_KEY, keyWait]] as const;
    const [full] = waits.find(([, each]) => each > TABLE_PATIENCE) ?? [];
    if (full !== undefined && this.#design.waits.kind === 'visibility') {
      this.#running -= 1;
      this.#refuse(full, tries);
      return;
    }
    if (full !== undefined) {
      this.#seen.breach(full, this.#now);
      this.#seen.spilled += 1;
    }
    const waited = full === undefined ? Math.max(...waits.map(([, each]) => each)) : TABLE_PATIENCE;
    const seconds = this.#draw(this.#times.acceptMs) + waited + cold;
    this.#plan(this.#now + seconds, { kind: 'accepted', spilled: full !== undefined });
  }

  #besidesWait(): (readonly [string, number])[] {
    return this.#besides.map(([name, units, table]) => [name, table.take(this.#now, units)] as const);
  }

  #refuse(quota: string, tries: number): void {
    this.#seen.breach(quota, this.#now);
    this.#seen.refused += 1;
    if (tries < PROVIDER.retries) this.#plan(this.#now + PROVIDER.wait, { kind: 'arrive', tries: tries + 1 });
  }

  /** Seconds of a cold start (0: a warm environment was free), or undefined when there is none to be had. */
  #invoke(): number | undefined {
    if (this.#running + 1 > this.#quotas.concurrency / this.#thin) return undefined;
    this.#running += 1;
    if (this.#running <= this.#warm) return 0;
    if (!this.#environments.take(this.#now, 1)) {
      this.#running -= 1;
      return undefined;
    }
    this.#warm += 1;
    // A batch that is refused costs the start a call for each secret; nothing is refused for it.
    if (!this.#secrets.take(this.#now, 1)) this.#seen.breach(SECRETS, this.#now);
    return this.#times.coldMs / 1_000;
  }

  #poll(): void {
    const grown = (5 + (this.#now / MINUTE) * this.#quotas.mappingGrowthPerMinute) / this.#thin;
    const most = Math.max(1, Math.min(this.#design.maxConcurrency / this.#thin, grown));
    while (this.#pollers < most && this.#head < this.#queue.length) {
      if (this.#hidden + this.#pollers * this.#design.batchSize >= this.#quotas.inFlight / this.#thin) {
        this.#seen.breach('SQS messages in flight', this.#now);
        return;
      }
      const cold = this.#invoke();
      if (cold === undefined) {
        this.#seen.breach('Lambda environments', this.#now);
        return;
      }
      const received = this.#queue.slice(this.#head, this.#head + this.#design.batchSize);
      this.#head += received.length;
      if (this.#head > 10_000) {
        this.#queue.splice(0, this.#head);
        this.#head = 0;
      }
      this.#pollers += 1;
      const failed = this.#now >= OUTAGE.from && this.#now < OUTAGE.to;
      const { batch, wait } = this.#write(received, failed);
      // An open breaker parks without calling: only designs that wait in the queue pay for the call that fails.
      const work = failed && this.#design.waits.kind === 'visibility' ? FAIL_SECONDS : this.#draw(this.#times.batchMs);
      this.#plan(this.#now + work + wait + cold, { kind: 'batch', batch, failed });
    }
    this.#seen.note(
      this.#queue.length - this.#head + this.#parked.length - this.#parkedHead + this.#outside,
      this.#hidden + this.#pollers * this.#design.batchSize,
    );
  }

  /** The writes of a batch: those whose writes found room, and how long these waited for it. */
  #write(received: readonly Message[], failed: boolean): { readonly batch: readonly Message[]; readonly wait: number } {
    const { units, unitsOnOneKey, waits } = this.#design;
    const each = failed ? units.fail : units.complete;
    if (waits.kind === 'visibility') {
      // What an attempt cannot write at once it writes later: the message waits with it, in flight.
      const wait = this.#table.take(this.#now, each * received.length, Number.POSITIVE_INFINITY);
      if (wait > TABLE_PATIENCE) this.#seen.breach(TABLE, this.#now);
      return { batch: received, wait };
    }
    const batch: Message[] = [];
    let longest = 0;
    for (const message of received) {
      const wait = this.#table.take(this.#now, each + (message.spilled ? units.accept : 0));
      const keyWait = message.spilled ? this.#key.take(this.#now, unitsOnOneKey) : 0;
      longest = Math.max(longest, Math.min(TABLE_PATIENCE, Math.max(wait, keyWait)));
      if (wait <= TABLE_PATIENCE && keyWait <= TABLE_PATIENCE) batch.push(message);
      else this.#waitOutside(message, wait > TABLE_PATIENCE ? TABLE : INDEX_KEY);
    }
    return { batch, wait: longest };
  }

  /** Sent again as a delayed copy, and deleted: it is not in flight while it waits. */
  #waitOutside(message: Message, full: string): void {
    this.#seen.breach(full, this.#now);
    const seconds = Math.min(COPY.mostSeconds, COPY.firstSeconds * 2 ** message.copies * (1 + this.#random.next() / 4));
    message.copies += 1;
    this.#outside += 1;
    this.#plan(this.#now + seconds, { kind: 'copy', message });
  }

  #finish(batch: readonly Message[], failed: boolean): void {
    this.#pollers -= 1;
    this.#running -= 1;
    for (const message of batch) {
      const refused = !failed && this.#target?.take(this.#now, 1) === false;
      if (refused) this.#seen.breach(`${this.#design.target} calls per second`, this.#now);
      if (failed || refused) this.#wait(message);
      else this.#seen.open -= 1;
    }
    this.#poll();
  }

  #wait(message: Message): void {
    const { waits } = this.#design;
    if (waits.kind === 'outside') {
      this.#parked.push({ due: this.#now + PARK_SECONDS, message });
      return;
    }
    message.receives += 1;
    if (message.receives >= waits.receives) {
      this.#seen.deadLettered += 1;
      this.#seen.open -= 1;
      return;
    }
    this.#hidden += 1;
    this.#plan(this.#now + waits.waitSeconds, { kind: 'free' });
    this.#plan(this.#now + waits.waitSeconds, { kind: 'enqueue', message });
  }

  /** Once a second: what is due, up to the send rate; a run begins every minute and works for 50 seconds. */
  #sweep(): void {
    const { waits } = this.#design;
    if (waits.kind !== 'outside') return;
    if (this.#now % MINUTE < 50) {
      // At least one a second is looked at, however thin the simulation is.
      let sends = Math.max(1, waits.sendsPerSecond / this.#thin);
      for (; sends >= 1 && this.#parkedHead < this.#parked.length; sends -= 1) {
        const first = this.#parked[this.#parkedHead];
        if (first === undefined || first.due > this.#now) break;
        this.#parkedHead += 1;
        this.#plan(this.#now + this.#draw(this.#times.handOverMs), { kind: 'enqueue', message: first.message });
      }
    }
    this.#plan(this.#now + 1, { kind: 'sweep' });
  }

  /** A log-normal draw around a median in milliseconds, in seconds. */
  #draw(medianMs: number): number {
    const gauss = Math.sqrt(-2 * Math.log(1 - this.#random.next())) * Math.cos(2 * Math.PI * this.#random.next());
    return (medianMs / 1_000) * Math.exp(SIGMA * gauss);
  }
}
