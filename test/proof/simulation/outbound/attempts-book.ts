/**
 * Holds each charged attempt to the schedule, and each request to its due time: the wait before the next attempt, that a
 * trial request is never charged, that a delivery dies after its whole schedule and no sooner, and that every charged attempt is
 * kept for whoever asks.
 */
import type { DatabaseChange } from '#adapters/memory/memory-database.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import type { AttemptItem, RecordItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import { MINUTE_MS } from '#core/time.ts';
import type { Received } from '#test/kit/outbound-world.ts';

const JITTER = 0.2;
/** Between what a session writes down and what its receiver sees. */
const NEAR_MS = 50;
const TROUBLE_MS = 3 * MINUTE_MS;

interface Charge {
  readonly at: number;
  readonly key: string;
}

export interface Surroundings {
  readonly now: () => number;
  /** Seconds. */
  readonly waits: readonly number[];
  readonly endpointOf: (url: string) => { readonly id: EndpointId } | undefined;
  readonly isOrdered: (ep: EndpointId) => boolean;
  readonly recordOf: (ep: EndpointId, msg: string) => RecordItem | undefined;
  /** Something of ours died or failed in this span. */
  readonly troubled: (from: number, to: number) => boolean;
}

/** A trial request is charged for an answer that may be about its message; never for what is the endpoint's fault. */
const MAY_BE_THE_MESSAGE: readonly string[] = ['server_error', 'denied', 'message_refused', 'other_status'];
const KEPT: readonly string[] = ['delivery', 'trial'];

export class AttemptsBook {
  readonly complaints: string[] = [];
  /** Charged attempts, trial requests, and requests of a later attempt that were checked; breakers that opened. */
  readonly counted = { charged: 0, trials: 0, retries: 0, dead: 0, kept: 0, opened: 0 };
  readonly #at: Surroundings;
  readonly #charges: Charge[] = [];
  readonly #kept = new Set<string>();
  /** The next request of this endpoint is the only one that its breaker lets out. */
  readonly #onTrial = new Set<EndpointId>();
  readonly #trials = new Map<string, number>();

  constructor(at: Surroundings) {
    this.#at = at;
  }

  readonly onChange = ({ before, after }: DatabaseChange): void => {
    const item = after as { pk: string; sk: string } | undefined;
    if (item === undefined) return;
    if (item.pk.startsWith('R#')) this.#taken(before as RuntimeItem | undefined, after as unknown as RuntimeItem);
    if (item.pk.startsWith('D#')) this.#record(item, before as RecordItem | undefined, after as unknown as RecordItem);
    if (item.pk.startsWith('T#') && KEPT.includes((after as unknown as AttemptItem).kind)) {
      const { gen, n } = after as unknown as AttemptItem;
      const [, ep = '', msg = ''] = item.pk.split('#');
      this.#kept.add(`${ep} ${msg} ${gen} ${n}`);
    }
  };

  readonly onRequest = (request: Received): void => {
    const endpoint = this.#at.endpointOf(request.url);
    if (!endpoint) return;
    if (this.#onTrial.delete(endpoint.id)) {
      this.counted.trials += 1;
      this.#trials.set(`${endpoint.id} ${request.id}`, request.startedAt);
    }
    if (request.id.startsWith('batch_')) return;
    const record = this.#at.recordOf(endpoint.id, request.id);
    if (record?.status !== 'retrying') return;
    this.counted.retries += 1;
    const early = (record.nextAt ?? 0) - request.startedAt;
    if (early > 0) this.complaints.push(`a retry of ${request.id} at ${endpoint.id} ${early} ms before it was due`);
  };

  /** A session begins. Of an open breaker it may send one request. */
  #taken(before: RuntimeItem | undefined, after: RuntimeItem): void {
    if (before?.opens === 0 && after.opens > 0) this.counted.opened += 1;
    if (after.owner === undefined || after.owner === before?.owner) return;
    if (after.opens > 0 && after.recovered === undefined) this.#onTrial.add(after.ep);
    else this.#onTrial.delete(after.ep);
  }

  #record(key: { pk: string; sk: string }, before: RecordItem | undefined, after: RecordItem): void {
    const attempts = after.attempts ?? 0;
    const known = before?.gen === after.gen ? (before.attempts ?? 0) : 0;
    if (attempts <= known) return;
    const ep = key.pk.slice(2, key.pk.lastIndexOf('#')) as EndpointId;
    const msg = key.sk.slice(14);
    const who = `${msg} at ${ep}`;
    const { waits } = this.#at;
    const at = this.#at.now();
    this.counted.charged += 1;
    this.#charges.push({ at, key: `${ep} ${msg} ${after.gen} ${attempts}` });
    if (attempts !== known + 1)
      this.complaints.push(`O7 attempt ${attempts} of ${who} was charged after attempt ${known}`);
    const startedAt = after.last?.at ?? 0;
    const trial = this.#trials.get(`${ep} ${msg}`);
    const isTrial = trial !== undefined && trial >= startedAt && trial <= startedAt + NEAR_MS;
    const isEndpoints = !MAY_BE_THE_MESSAGE.includes(after.last?.class ?? '');
    if (isTrial && isEndpoints && !this.#at.troubled(startedAt - TROUBLE_MS, at))
      this.complaints.push(`O7 a trial request was charged for ${after.last?.class}: ${who}`);
    if (after.status === 'dead') {
      this.counted.dead += 1;
      if (attempts !== waits.length + 1 && !this.#at.isOrdered(ep))
        this.complaints.push(`${who} died after ${attempts} attempts of ${waits.length + 1}`);
      return;
    }
    const wait = (after.nextAt ?? 0) - startedAt - (after.last?.ms ?? 0);
    const wanted = (waits[attempts - 1] ?? Number.POSITIVE_INFINITY) * 1_000;
    // The head of an ordered endpoint is asked once more when its time is up.
    const shortest = this.#at.isOrdered(ep) ? 0 : wanted * (1 - JITTER) - 1;
    if (wait < shortest || wait > wanted * (1 + JITTER) + 1)
      this.complaints.push(`${who} waits ${wait} ms after attempt ${attempts}, the schedule says ${wanted}`);
  }

  /** At the end: each charged attempt is there to be read, unless something of ours failed as it was written. */
  settle(): void {
    for (const { at, key } of this.#charges) {
      if (this.#kept.has(key)) this.counted.kept += 1;
      else if (!this.#at.troubled(at - TROUBLE_MS, at)) this.complaints.push(`the charged attempt ${key} was not kept`);
    }
  }
}
