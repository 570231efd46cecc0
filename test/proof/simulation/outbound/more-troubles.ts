/**
 * What else happens to messages, beside weather and what people do to endpoints: broadcasts, large bodies, copies, bodies
 * and customers that are erased, jobs that replay what is dead.
 */
import { createHash } from 'node:crypto';
import type { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { given } from '#core/given.ts';
import { eraseBodyOf } from '#core/outbound/erase/erase-body.ts';
import { readErasure, startErase } from '#core/outbound/erase/erasure.ts';
import type { AppId, JobId, MessageId } from '#core/outbound/protocol/ids.ts';
import { messageKey } from '#core/outbound/protocol/keys.ts';
import { bodiesOf } from '#core/outbound/publish/message-body.ts';
import type { Publication } from '#core/outbound/publish/publish.ts';
import { replayAsNew } from '#core/outbound/replay/replay-as-new.ts';
import { startReplayJob } from '#core/outbound/replay/replay-job.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';
import type { OutboundWorld } from '#test/kit/outbound-world.ts';
import { runningReplayJob } from '#test/kit/running-replay-job.ts';
import type { Ledger } from './ledger.ts';

export interface TroubleCounts {
  broadcasts: number;
  copies: number;
  erasedBodies: number;
  erasedCustomers: number;
  replayJobs: number;
}
interface Stage {
  readonly world: OutboundWorld;
  readonly ledger: Ledger;
  readonly random: SeededRandom;
  readonly end: number;
  readonly apps: readonly AppId[];
  /** Whose messages are the broadcasts. */
  readonly all: AppId;
}

const text = new TextEncoder();
const [ONE_IN, BODY_ERASED_MS] = [50, 2_000];

/** The content of a producer's message, the same whenever it repeats it: one in fifty is large, and no deflate makes it small. */
export function contentOf(key: string): Publication['content'] {
  const drawn = createHash('sha256').update(key).digest();
  if (drawn.readUInt32BE(0) % ONE_IN !== 0) return { kind: 'data', json: text.encode('{"amount":1}') };
  const noise = Array.from({ length: 2_400 }, (_, n) => createHash('sha256').update(`${key}${n}`).digest('base64'));
  return { kind: 'data', json: text.encode(`{"amount":1,"file":"${noise.join('')}"}`) };
}
export const isLarge = (content: Publication['content']): boolean =>
  content.kind === 'data' && content.json.length > 64 * 1_024;

export class MoreTroubles {
  readonly counts: TroubleCounts = {
    ...{ broadcasts: 0, copies: 0, erasedBodies: 0, erasedCustomers: 0, replayJobs: 0 },
  };
  readonly #at: Stage;

  constructor(at: Stage) {
    this.#at = at;
  }

  /** Each now and then until the end. */
  start(): void {
    const { random } = this.#at;
    void this.#often(3 * HOUR_MS, random.fork(), () => this.#broadcast());
    void this.#often(HOUR_MS, random.fork(), own => this.#copy(own));
    void this.#often(2 * HOUR_MS, random.fork(), own => this.#eraseBody(own));
    void this.#often(6 * HOUR_MS, random.fork(), own => this.#replayTheDead(own));
    void this.#often(4 * DAY_MS, random.fork(), own => this.#eraseCustomer(own));
  }

  async #often(mostMs: number, own: SeededRandom, act: (own: SeededRandom) => Promise<void>): Promise<void> {
    const { world, end } = this.#at;
    for (;;) {
      await world.clock.sleep(own.int(2 * mostMs));
      if (world.clock.now() >= end) return;
      await act(own);
    }
  }

  async #broadcast(): Promise<void> {
    const { world, ledger, all } = this.#at;
    this.counts.broadcasts += 1;
    const key = `b${this.counts.broadcasts}`;
    const askedAt = world.clock.now();
    const heard = await world.publish(all, key, { content: contentOf(key) }, 'broadcast');
    if (heard.kind !== 'accepted') throw new Error(heard.detail);
    const ackedAt = world.clock.now();
    ledger.acknowledged.set(heard.id, { app: all, all: true, key, askedAt, ackedAt, createdAt: heard.createdAt });
  }

  /** A message that somebody's endpoint wanted, of any age. */
  #pick(own: SeededRandom) {
    const { ledger, world } = this.#at;
    const known = [...ledger.acknowledged];
    for (let tries = 0; tries < 20 && known.length > 0; tries++) {
      const [msg, { app, all, ackedAt, erasedAt }] = own.pick(known);
      const theirs = [...ledger.endpoints.values()].filter(
        each => (all || each.app === app) && each.deletedAt === undefined && !each.abandoned && !each.batched,
      );
      if (theirs.length > 0 && erasedAt === undefined && ackedAt < world.clock.now() - HOUR_MS)
        return { msg, endpoint: own.pick(theirs) };
    }
    return undefined;
  }

  async #copy(own: SeededRandom): Promise<void> {
    const { world, ledger } = this.#at;
    const picked = this.#pick(own);
    if (picked === undefined) return;
    const { msg, endpoint } = picked;
    const askedAt = world.clock.now();
    const request = { ep: endpoint.id, msg, requestId: `c-${askedAt}`, by: 'simulated' };
    const made = await world.insist(ports => replayAsNew(ports, world.rules.retentionMs, request));
    if (made.kind !== 'published') return;
    this.counts.copies += 1;
    const createdAt = world.message(made.id)?.createdAt ?? askedAt;
    const original = ledger.acknowledged.get(msg);
    ledger.acknowledged.set(made.id, {
      ...{ app: endpoint.app, key: `copy of ${msg}`, askedAt, ackedAt: world.clock.now(), createdAt },
      ...{ of: msg, only: endpoint.id },
      ...given({ erasedAt: original?.erasedAt }),
    });
  }

  async #eraseBody(own: SeededRandom): Promise<void> {
    const { world, ledger } = this.#at;
    const picked = this.#pick(own);
    const message = picked && (await world.store.get(messageKey(picked.msg), 'consistent'));
    if (picked === undefined || message === undefined) return;
    // Copies of a copy are its, too; a copy that is erased leaves its original alone.
    const isIts = (id: MessageId | undefined): boolean =>
      id !== undefined && (id === picked.msg || isIts(ledger.acknowledged.get(id)?.of));
    await world.insist(async ports => (await eraseBodyOf(ports, message)) + 1);
    await world.clock.sleep(BODY_ERASED_MS);
    for (const [id, known] of ledger.acknowledged) if (isIts(id)) known.erasedAt = world.clock.now();
    this.counts.erasedBodies += 1;
  }

  async #replayTheDead(own: SeededRandom): Promise<void> {
    const { world, apps } = this.#at;
    this.counts.replayJobs += 1;
    const id = `job_${this.counts.replayJobs}` as JobId;
    const job = { ...runningReplayJob(own.pick(apps), world.clock.now()), id };
    await world.insist(({ store }) => startReplayJob(store, job));
  }

  async #eraseCustomer(own: SeededRandom): Promise<void> {
    const { world, ledger, apps } = this.#at;
    const app = own.pick(apps);
    const theirs = [...ledger.endpoints.values()].filter(each => each.app === app);
    if (ledger.erasedCustomers.has(app) || theirs.some(({ abandoned }) => abandoned)) return;
    this.counts.erasedCustomers += 1;
    ledger.erasedCustomers.set(app, Number.POSITIVE_INFINITY);
    for (const each of theirs) each.deletedAt ??= Number.POSITIVE_INFINITY;
    await world.insist(ports => startErase(ports, app, 'simulated'));
    for (;;) {
      await world.clock.sleep(MINUTE_MS);
      if ((await readErasure(world.store, app))?.finishedAt !== undefined) break;
    }
    ledger.erasedCustomers.set(app, world.clock.now());
  }

  /** At the end: nothing of an erased customer is left, in no table and in no object. */
  async settle(): Promise<readonly string[]> {
    const { world, ledger } = this.#at;
    const complaints: string[] = [];
    for (const [app, at] of ledger.erasedCustomers) {
      if (at === Number.POSITIVE_INFINITY) complaints.push(`the erasure of ${app} never ends`);
      const theirs = [...ledger.endpoints.values()].filter(each => each.app === app).map(({ id }) => id);
      const items = [...world.items('outbox', ''), ...world.items('registry', '')];
      // What is left is the report.
      const named = items
        .map(({ pk, sk }) => `${pk} ${sk}`)
        .filter(key => !key.startsWith('C#') && [app, ...theirs].some(each => key.includes(each)));
      if (named.length > 0) complaints.push(`${named.length} items of ${app} stay, e.g. ${named[0]}`);
      const { keys } = await world.blobs.list(bodiesOf(app));
      if (keys.length > 0) complaints.push(`${keys.length} bodies of ${app} stay`);
    }
    return complaints;
  }
}
