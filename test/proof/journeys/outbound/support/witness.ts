/** Watches an outbound world at every write and every request, and says what breaks an invariant. */
import type { DatabaseChange } from '#adapters/memory/memory-database.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import type { MessageItem, RecordItem, RowItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import { FINAL_STATUSES } from '#core/outbound/protocol/items.ts';
import type { OutboundWorld, Received } from '#test/kit/outbound-world.ts';

const isFinal = (record: Pick<RecordItem, 'status'> | undefined): boolean =>
  record !== undefined && (FINAL_STATUSES as readonly string[]).includes(record.status);
const SLACK_MS = 2_000;

interface Watched {
  record: RecordItem | undefined;
  /** Generations by row. */
  readonly rows: Map<string, number>;
  /** A row was put once. */
  fanned: boolean;
}

export class Witness {
  readonly complaints: string[] = [];
  /** By endpoint and message. */
  readonly deliveries = new Map<string, Watched>();
  /** A process froze: what it does when it goes on may break a promise about time. */
  stalled = false;
  /** A process died or lost an answer lately: what it had in the air is still there beside its successor's. */
  troubled: () => boolean = () => false;
  checks = 0;
  #world: OutboundWorld | undefined;
  readonly #byUrl = new Map<string, EndpointId>();
  readonly #inAir = new Map<string, number>();
  readonly #dirty = new Set<string>();
  /** By object of the bucket: the message that names it. */
  readonly #owners = new Map<string, string>();

  /** By endpoint and message: the batches in which it was sent, the newest last. */
  readonly #batches = new Map<string, readonly string[]>();

  watch(world: OutboundWorld): void {
    this.#world = world;
  }

  readonly onChange = ({ before, after }: DatabaseChange): void => {
    const item = (after ?? before) as { pk: string; sk: string } | undefined;
    if (item === undefined) return;
    if (item.pk.startsWith('M#') && after !== undefined) this.#message(after as unknown as MessageItem);
    if (item.pk.startsWith('Q#')) this.#row(item, after as RowItem | undefined);
    if (item.pk.startsWith('D#')) this.#record(item, before as RecordItem | undefined, after as RecordItem | undefined);
    if (item.pk.startsWith('R#')) this.#runtime(before as RuntimeItem | undefined, after as RuntimeItem | undefined);
  };

  readonly onRequest = (request: Received): void => {
    const world = this.#world;
    if (!world) return;
    const ep = this.#endpointOf(request.url);
    const runtime = ep && world.runtime(ep);
    if (!runtime || this.stalled) return;
    const now = world.clock.now();
    this.checks += 1;
    const closed = runtime.gate !== 'open';
    if (closed && now - runtime.gateSince > SLACK_MS + 1_000) {
      this.complaints.push(`O8 a request ${now - runtime.gateSince} ms after the gate was ${runtime.gate}`);
    }
    if ((runtime.holdUntil ?? 0) > now + SLACK_MS) this.complaints.push('O9 a request while the endpoint is on hold');
    const inAir = (this.#inAir.get(request.url) ?? 0) + 1;
    this.#inAir.set(request.url, inAir);
    if (request.id.startsWith('batch_')) this.#batch(ep, new TextDecoder().decode(request.body));
    // The cap grows and shrinks in the session's memory; what a customer allows is the bound that all can see.
    const most = world.endpoints.get(ep)?.ordered ? 1 : (world.endpoints.get(ep)?.maxConcurrency ?? 1);
    if (inAir > most && !this.troubled()) this.complaints.push(`O6 ${inAir} requests at once, ${most} are allowed`);
  };

  readonly onAnswer = ({ url }: Received): void => {
    this.#inAir.set(url, Math.max(0, (this.#inAir.get(url) ?? 0) - 1));
  };

  /** O20: the same members as before, or a part of them. */
  #batch(ep: EndpointId, body: string): void {
    const ids = (JSON.parse(body) as { batch: { id: string }[] }).batch.map(({ id }) => id);
    const now = ids.join();
    for (const id of ids) {
      const key = `${ep} ${id} ${this.deliveries.get(`${ep} ${id}`)?.record?.gen ?? 1}`;
      const known = this.#batches.get(key) ?? [];
      this.checks += 1;
      const newest = known.at(-1)?.split(',');
      // An old one comes from a process that froze after it had fixed it.
      if (newest !== undefined && !known.includes(now) && !ids.every(each => newest.includes(each)))
        this.complaints.push(`O20 ${id} was sent in the batch ${newest.join()}, and then in ${now}`);
      if (!known.includes(now)) this.#batches.set(key, [...known, now]);
    }
  }

  #message({ id, ref }: MessageItem): void {
    if (ref === undefined) return;
    const owner = this.#owners.get(ref) ?? id;
    this.#owners.set(ref, owner);
    this.checks += 1;
    if (owner !== id) this.complaints.push(`O19 ${ref} is named by ${owner} and by ${id}`);
  }

  #endpointOf(url: string): EndpointId | undefined {
    if (!this.#byUrl.has(url)) {
      for (const { url: each, id } of this.#world?.endpoints.values() ?? []) this.#byUrl.set(each, id);
    }
    return this.#byUrl.get(url);
  }

  #watched(key: string): Watched {
    const known = this.deliveries.get(key) ?? { record: undefined, rows: new Map<string, number>(), fanned: false };
    this.deliveries.set(key, known);
    return known;
  }

  #row({ pk, sk }: { pk: string; sk: string }, after: RowItem | undefined): void {
    const msg = after?.msg ?? sk.match(/msg_[^#]+/)?.[0];
    const watched = this.#watched(`${pk.slice(2)} ${msg}`);
    if (after) {
      watched.rows.set(sk, after.gen);
      watched.fanned = true;
    } else watched.rows.delete(sk);
    this.#check(`${pk.slice(2)} ${msg}`);
  }

  #record({ pk, sk }: { pk: string; sk: string }, before: RecordItem | undefined, after: RecordItem | undefined): void {
    const key = `${pk.slice(2, pk.lastIndexOf('#'))} ${sk.slice(14)}`;
    const watched = this.#watched(key);
    // Erased, or at the end of its life: nothing is owed by what was final, and how it ended is remembered.
    if (after === undefined && isFinal(before)) watched.fanned = false;
    else watched.record = after;
    if (before && after && before.gen === after.gen && isFinal(before) && before.status !== after.status) {
      this.complaints.push(`O4 ${key} was ${before.status} and became ${after.status}`);
    }
    if (before && after && after.gen < before.gen) this.complaints.push(`O4 ${key} went back a generation`);
    this.#check(key);
  }

  #runtime(before: RuntimeItem | undefined, after: RuntimeItem | undefined): void {
    this.checks += 1;
    if (before?.gate === 'deleted' && after !== undefined && after.gate !== 'deleted') {
      this.complaints.push('O4 a deleted endpoint came back');
    }
  }

  /** Once all writes of a transaction are there. */
  #check(key: string): void {
    if (this.#dirty.size === 0) {
      queueMicrotask(() => {
        for (const each of this.#dirty) this.#checkOwed(each);
        this.#dirty.clear();
      });
    }
    this.#dirty.add(key);
  }

  #checkOwed(key: string): void {
    this.checks += 1;
    const { record, rows, fanned } = this.#watched(key);
    const gen = record?.gen ?? 1;
    const owed = fanned && !isFinal(record);
    if (owed && ![...rows.values()].includes(gen)) this.complaints.push(`O3 ${key} is owed, and no row points to it`);
  }

  /** What is still owed now. */
  open(): readonly string[] {
    return [...this.deliveries].filter(([, { fanned, record }]) => fanned && !isFinal(record)).map(([key]) => key);
  }
}
