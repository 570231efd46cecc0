/**
 * What producers and receivers know, and nothing the product says of itself: every message that was acknowledged, every
 * request that arrived. At the end each acknowledged message × endpoint that wanted it must be accounted for.
 */
import type { AppId, EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import type { FinalStatus, RecordItem } from '#core/outbound/protocol/items.ts';
import { HOUR_MS } from '#core/time.ts';
import type { Received } from '#test/kit/outbound-world.ts';

interface Account {
  /** Starts of the requests that were answered 2xx. */
  readonly good: number[];
  failed: number;
  /** Of these. */
  throttled: number;
  requests: number;
  /** Of one that is read: what its owner handled and was about to acknowledge. */
  handled?: number;
  /** When the last acknowledgement was answered, and the replays that were asked for until then. */
  acked?: { readonly at: number; readonly replays: number };
}
export interface LedgerEndpoint {
  readonly id: EndpointId;
  readonly app: AppId;
  readonly url: string;
  readonly temperament: string;
  readonly healthy: boolean;
  readonly batched: boolean;
  readonly createdAt: number;
  deletedAt?: number;
  droppedBefore?: number;
  readonly abandoned: boolean;
}
export interface Acknowledged {
  readonly app: AppId;
  readonly key: string;
  readonly askedAt: number;
  readonly ackedAt: number;
  readonly createdAt: number;
  /** A broadcast: every customer's. */
  readonly all?: true;
  /** Of a copy: its original, whose bytes it has, and the one endpoint that gets it. */
  readonly of?: MessageId;
  readonly only?: EndpointId;
  /** When the erasure of its body was answered. */
  erasedAt?: number;
}

/** What became of a job that was lost is repaired within the second hour; of a walk, level by level. */
const [REPAIRED_MS, WALKED_MS] = [400_000, 3 * HOUR_MS];
const text = new TextDecoder();

export class Ledger {
  readonly complaints: string[] = [];
  /** What waits ends after this. */
  readonly retentionMs: number;
  readonly acknowledged = new Map<MessageId, Acknowledged>();
  readonly endpoints = new Map<EndpointId, LedgerEndpoint>();
  readonly #byUrl = new Map<string, LedgerEndpoint>();
  readonly accounts = new Map<string, Account>();
  /** Replays that people asked for, by endpoint and message. */
  readonly replays = new Map<string, number>();
  /** Times at which something of ours died or failed, in order. */
  readonly troubles: number[] = [];
  /** Customers who were erased, and when that was done. */
  readonly erasedCustomers = new Map<AppId, number>();
  requests = 0;
  duplicates = 0;
  /** Acknowledgements of readers, one for each message. */
  read = 0;
  readonly firstDelays: number[] = [];

  constructor(retentionMs: number) {
    this.retentionMs = retentionMs;
  }

  addEndpoint(endpoint: LedgerEndpoint): void {
    this.endpoints.set(endpoint.id, endpoint);
    this.#byUrl.set(endpoint.url, endpoint);
  }

  endpointOf(url: string): LedgerEndpoint | undefined {
    return this.#byUrl.get(url);
  }

  trouble(at: number): void {
    this.troubles.push(at);
  }

  /** Told when a request has its answer. */
  readonly answered = (request: Received): void => {
    const endpoint = this.#byUrl.get(request.url);
    if (!endpoint) return;
    this.requests += 1;
    const body = text.decode(request.body);
    const ids = request.id.startsWith('batch_')
      ? [...new Set([...body.matchAll(/"id":"(msg_[0-9a-z]{26})"/g)].map(it => it[1] ?? ''))]
      : [request.id];
    const good = request.answer?.kind === 'answered' && request.answer.status >= 200 && request.answer.status < 300;
    for (const id of ids) {
      const message = this.acknowledged.get(id as MessageId);
      if (!body.includes(`"id":"${this.#originalOf(id as MessageId)}"`))
        this.complaints.push(`O13 ${id} came with another body`);
      const account = this.accountOf(endpoint.id, id);
      account.requests += 1;
      if (good) account.good.push(request.startedAt);
      else account.failed += 1;
      if (request.answer?.kind === 'answered' && request.answer.status === 429) account.throttled += 1;
      if ((message?.erasedAt ?? Number.POSITIVE_INFINITY) < request.startedAt)
        this.complaints.push(
          `O19 ${id} was sent ${request.startedAt - (message?.erasedAt ?? 0)} ms after its body was erased`,
        );
      const deleted = endpoint.deletedAt;
      if (deleted !== undefined && request.startedAt > deleted + 3_000) {
        this.complaints.push(
          `O8 ${id} was sent to ${endpoint.id} ${request.startedAt - deleted} ms after it was deleted`,
        );
      }
      if (message && account.requests === 1 && endpoint.healthy)
        this.firstDelays.push(request.startedAt - message.ackedAt);
    }
  };

  /** A reader asked then and was given it. */
  given(endpoint: LedgerEndpoint, id: MessageId, askedAt: number): void {
    const { acked } = this.accountOf(endpoint.id, id);
    const replays = this.replays.get(`${endpoint.id} ${id}`) ?? 0;
    if (acked === undefined || askedAt <= acked.at || replays > acked.replays) return;
    // A replay that was asked for before may be carried out after it, while something of ours fails.
    if (acked.replays > 0 && this.troubles.some(at => at >= acked.at - HOUR_MS)) return;
    this.complaints.push(
      `O21 ${id} was given to a reader of ${endpoint.id} ${askedAt - acked.at} ms after it was acknowledged`,
    );
  }

  handled(endpoint: LedgerEndpoint, id: MessageId): void {
    const account = this.accountOf(endpoint.id, id);
    account.handled = (account.handled ?? 0) + 1;
  }

  acked(endpoint: LedgerEndpoint, id: MessageId, at: number): void {
    this.accountOf(endpoint.id, id).acked = { at, replays: this.replays.get(`${endpoint.id} ${id}`) ?? 0 };
    this.read += 1;
  }

  /** A copy says byte for byte what its original said. */
  #originalOf(id: MessageId): MessageId {
    const { of } = this.acknowledged.get(id) ?? {};
    return of === undefined ? id : this.#originalOf(of);
  }

  accountOf(ep: EndpointId, msg: string): Account {
    const key = `${ep} ${msg}`;
    const known = this.accounts.get(key) ?? { good: [], failed: 0, throttled: 0, requests: 0 };
    this.accounts.set(key, known);
    return known;
  }

  /** At the end: every acknowledged message at every endpoint that wanted it. */
  settle(
    recordOf: (ep: EndpointId, msg: MessageId, createdAt: number) => RecordItem | undefined,
  ): Readonly<Record<string, number>> {
    const ends: Record<string, number> = {};
    for (const [msg, message] of this.acknowledged) {
      for (const endpoint of this.endpoints.values()) {
        // Made after the publish began, or deleted before: it may or may not get it.
        if ((!message.all && endpoint.app !== message.app) || endpoint.createdAt > message.askedAt) continue;
        if (message.only !== undefined && message.only !== endpoint.id) continue;
        // Nothing of it is left, and nothing is owed.
        if (this.erasedCustomers.has(endpoint.app)) continue;
        const record = recordOf(endpoint.id, msg, message.createdAt);
        const status = record?.status ?? 'none';
        const repairedMs = message.all ? WALKED_MS : REPAIRED_MS;
        const over = Math.min(
          endpoint.deletedAt ?? Number.POSITIVE_INFINITY,
          message.erasedAt ?? Number.POSITIVE_INFINITY,
        );
        if (status === 'none' && over <= message.ackedAt + repairedMs) continue;
        ends[status] = (ends[status] ?? 0) + 1;
        this.#judge(endpoint, msg, message, status, record);
      }
    }
    return ends;
  }

  #judge(
    endpoint: LedgerEndpoint,
    msg: MessageId,
    message: Acknowledged,
    status: string,
    record: RecordItem | undefined,
  ): void {
    const account = this.accountOf(endpoint.id, msg);
    const who = `${msg} at ${endpoint.id} (${endpoint.temperament})`;
    const say = (complaint: string): void => void this.complaints.push(`${complaint}: ${who}`);
    const allowed: Readonly<Record<FinalStatus, boolean>> = {
      delivered: account.good.length > 0 || (account.handled ?? 0) > 0,
      dead: account.failed > 0,
      aborted: account.failed > 0,
      expired: (record?.endedAt ?? 0) - message.createdAt >= this.retentionMs,
      dropped: endpoint.droppedBefore !== undefined && message.createdAt < endpoint.droppedBefore,
      canceled: endpoint.deletedAt !== undefined || message.erasedAt !== undefined,
    };
    if (!(status in allowed)) say(`O2 acknowledged and ended as ${status}`);
    else if (!allowed[status as FinalStatus]) say(`O2 ended as ${status} without a reason`);
    if ((record?.attempts ?? 0) > account.failed - account.throttled)
      say(`O7 charged ${record?.attempts} times, failed ${account.failed} times`);
    const generations = 1 + (this.replays.get(`${endpoint.id} ${msg}`) ?? 0);
    for (let n = generations; n < account.good.length; n++) {
      this.duplicates += 1;
      const [before = 0, at = 0] = [account.good[n - 1], account.good[n]];
      if (!this.troubles.some(trouble => trouble >= before - 120_000 && trouble <= at))
        say('O5 sent twice, and nothing of ours had failed');
    }
    if (account.good.some(at => at < message.askedAt)) say('sent before it was published');
  }
}
