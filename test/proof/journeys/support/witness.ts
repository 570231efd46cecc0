/**
 * Watches a world while it runs and judges every single change, answer and deletion against the invariants that must
 * hold at every moment. What must hold at rest is judged by ../oracle.ts.
 */
import { createHash } from 'node:crypto';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import type { DatabaseChange } from '#adapters/memory/memory-database.ts';
import { type ArrivalCursors, decodeArrivals, isPassed } from '#core/inbound/protocol/arrivals.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { ALLOWED_MOVES } from '#core/inbound/protocol/event-status.ts';
import type { StoredMessage } from '#test/kit/memory/queue/memory-queue.ts';
import { type Answer, type Delivery, EVENTS, type MemoryWorld, type WorldOptions } from '#test/kit/memory-world.ts';
import { bodyOf } from '#test/kit/signed-request.ts';
import { History, type Reading, readMessage } from './history.ts';

const ARRIVALS = '_control#arrivals';
const FINAL = new Set(['completed', 'skipped_stale', 'rejected', 'ignored', 'dead_letter']);
const HANDLED = new Set(['completed', 'skipped_stale', 'rejected', 'ignored']);

export class Witness {
  readonly history = new History();
  /** What is wrong, each line starting with its invariant. */
  readonly complaints = new Set<string>();
  /** How often each invariant was looked at. */
  readonly checks = new Map<string, number>();
  /** SHA-256 of every body that was acknowledged, and the id it came with. */
  readonly acknowledged = new Map<string, string>();
  readonly #recordedLate = new Set<string>();
  #world: MemoryWorld | undefined;

  /** Options that let this witness see everything; spread them into the world's own. */
  options(base: WorldOptions = {}): WorldOptions {
    return {
      ...base,
      database: { ...base.database, onChange: change => this.#onChange(change) },
      queue: { ...base.queue, onGone: (message, by) => this.#onMainGone(message, by) },
      deadQueue: { ...base.deadQueue, onGone: (message, by) => this.#onDeadGone(message, by) },
      onAnswer: (delivery, answer, ended) => this.#onAnswer(delivery, answer, ended),
    };
  }

  watch(world: MemoryWorld): void {
    this.#world = world;
    this.history.attach(world);
  }

  #check(invariant: string, holds: boolean, text: () => string): void {
    this.checks.set(invariant, (this.checks.get(invariant) ?? 0) + 1);
    if (!holds) this.complaints.add(`${invariant} ${text()}`);
  }

  #onChange(change: DatabaseChange): void {
    const before = change.before as EventItem | undefined;
    const after = change.after as EventItem | undefined;
    this.history.note(change);
    if (change.table !== EVENTS) return;
    if (change.after?.['pk'] === ARRIVALS) this.#judgeCursors(decodeArrivals(String(change.after['value'])));
    if ((before ?? after)?.status === undefined) return;
    const pk = (after ?? before)?.pk ?? '';
    if (after === undefined) {
      this.#check('I8', before !== undefined && !isOwed(before), () => `${pk} was deleted while ${before?.status}`);
      return;
    }
    this.#judgeMove(pk, before, after);
    if (before === undefined && after.watchAt === undefined && this.#isLate(after)) this.#recordedLate.add(pk);
    this.#judgeAttempts(pk, before, after);
    const owed = isOwed(after);
    const text = (): string => `${pk} ${after.status} watchAt=${after.watchAt} expiresAt=${after.expiresAt}`;
    const fresh = owed && (before === undefined || before.watchAt === undefined) && this.#isOnFirstWay(after);
    const watched = after.watchAt !== undefined;
    this.#check('I8', (owed === watched || fresh) && owed === (after.expiresAt === undefined), text);
    const paid = after.cause === 'payload_missing' || this.history.payloads.has(`${pk} B#${after.bodySha}`);
    this.#check('I14', paid, () => `${pk} is ${after.status} and its body ${after.bodySha.slice(0, 8)} is nowhere`);
  }

  /** Its request stood still before the write: the audit finds it, not the sweeper. */
  #isLate({ receivedAt }: EventItem): boolean {
    const { clock, timings } = this.#world ?? {};
    return clock !== undefined && clock.now() - receivedAt > (timings?.firstWatchMs ?? 0) / 2;
  }

  /** Recorded without a watch, and nothing but claims since. */
  #isOnFirstWay(item: EventItem): boolean {
    return item.gen === 1 && (item.status === 'pending' || item.status === 'processing');
  }

  /** The sweeper passes nothing that is open and not watched. */
  #judgeCursors(cursors: ArrivalCursors): void {
    for (const item of this.#world?.items() ?? []) {
      if (!isOwed(item) || item.watchAt !== undefined || this.#recordedLate.has(item.pk)) continue;
      this.#check('I8', !isPassed(item, cursors), () => `${item.pk} is ${item.status}, not watched, and was passed`);
    }
  }

  #judgeMove(pk: string, before: EventItem | undefined, after: EventItem): void {
    if (before === undefined) return;
    const text = (): string => `${pk} went from ${before.status}/${before.gen} to ${after.status}/${after.gen}`;
    if (after.gen !== before.gen) {
      this.#check('I4', after.gen > before.gen && after.status === 'pending', text);
      return;
    }
    if (after.status === before.status && after.status !== 'processing') return;
    const known = before.status !== 'unknown' && after.status !== 'unknown';
    const claimed = before.status !== 'pending' || !HANDLED.has(after.status);
    const allowed = known && ALLOWED_MOVES[before.status].includes(after.status);
    this.#check('I4', allowed && (claimed || isUnclaimed(before, after)), text);
    if (FINAL.has(before.status)) {
      // Only a person's redrive of exactly this death, whose message is being processed right now.
      const redriven = this.#world?.main
        .dump()
        .some(it => it.receiveCount > 0 && readMessage(it.body)?.deadId === before.deadId);
      this.#check('I4', before.status === 'dead_letter' && redriven === true, text);
    }
    // What ends an attempt is written by its owner: the note it leaves carries the attempt of the last claim.
    const note = after.recentAttempts?.at(-1);
    if (before.status === 'processing' && noted(before) !== noted(after))
      this.#check(
        'I5',
        note?.n === before.attempts,
        () => `${pk}: attempt ${note?.n} ended attempt ${before.attempts}`,
      );
    if (after.status !== 'processing' && before.status === 'processing')
      this.#check('I5', before.owner !== undefined && after.owner === undefined, () => `${pk} keeps its owner`);
  }

  #judgeAttempts(pk: string, before: EventItem | undefined, after: EventItem): void {
    const newRun = before === undefined || before.gen !== after.gen || before.status === 'dead_letter';
    const claimed = after.status === 'processing' && after.owner !== undefined && after.owner !== before?.owner;
    const expected = newRun
      ? claimed || after.status === 'dead_letter'
        ? after.attempts
        : 0
      : claimed
        ? before.attempts + 1
        : isUnclaimed(before, after)
          ? before.attempts + 1
          : after.status === 'deferred' && before.status === 'processing' && noted(before) !== noted(after)
            ? before.attempts - 1
            : before.attempts;
    const text = (): string => `${pk} attempts ${before?.attempts} -> ${after.attempts} (${after.status})`;
    this.#check('I9', after.attempts === expected && (!newRun || after.attempts <= 1 || !claimed), text);
  }

  #onMainGone(message: StoredMessage, by: string): void {
    if (by !== 'delete') return;
    const reading = readMessage(message.body);
    this.#check(
      'I7',
      this.#mayGo(message, reading),
      () => `the copy of ${reading?.pk ?? 'an unknown message'} is gone`,
    );
  }

  #mayGo(message: StoredMessage, reading: Reading | undefined): boolean {
    const copied = this.history.sentSinceReceived('dead', message);
    if (copied.some(it => it.body === message.body)) return true;
    if (reading === undefined) return false;
    const { pk, gen, deadId } = reading;
    const successor = this.history
      .sentSinceReceived('main', message)
      .some(it => it.reading?.pk === pk && it.reading.gen === gen);
    if (successor) return true;
    return this.history.statesSinceReceived(pk, message).some(item => {
      if (item === undefined) return false;
      if (item.gen > gen || HANDLED.has(item.status) || item.parked === true) return true;
      // A person's redrive is not done while the record is still dead by the death it names.
      return item.status === 'dead_letter' && item.deadId !== deadId;
    });
  }

  #onDeadGone(message: StoredMessage, by: string): void {
    if (by !== 'delete') return;
    const reading = readMessage(message.body);
    const item = reading && this.history.record(reading.pk);
    const over = reading?.deadId !== undefined && item !== undefined && item.deadId !== reading.deadId;
    this.#check('I7', over, () => `the DLQ lost the message of ${reading?.pk}, which is ${item?.status}`);
  }

  async #onAnswer(delivery: Delivery, answer: Answer, ended: string): Promise<void> {
    const world = this.#world;
    if (!world) return;
    const body = bodyOf(delivery, world.clock.now());
    const sha = createHash('sha256').update(body).digest('hex');
    this.#check(
      'I11',
      ended !== 'failed' && [undefined, 200, 503].includes(answer?.status),
      () => `${ended} ${answer?.status}`,
    );
    if (answer?.status !== 200) return;
    this.acknowledged.set(sha, delivery.id);
    const durable = (await this.#inTable(world, delivery, sha)) || (await this.#inQueue(world, sha));
    this.#check('I1', durable, () => `${delivery.id} was acknowledged with its event in no store`);
  }

  async #inTable(world: MemoryWorld, delivery: Delivery, sha: string): Promise<boolean> {
    for (const [pk, states] of this.history.states) {
      const item = states.at(-1)?.item;
      const isIt = pk === `${delivery.source ?? 'default'}#${delivery.id}` || item?.bodySha === sha;
      if (!item || !isIt || !(await this.#holds(world, pk, sha))) continue;
      if (item.bodySha === sha || (await this.#holds(world, pk, item.bodySha))) return true;
    }
    return false;
  }

  async #holds(world: MemoryWorld, pk: string, sha: string): Promise<boolean> {
    const stored = this.history.payloads.get(`${pk} B#${sha}`);
    const bytes = stored?.ref === undefined ? stored?.bytes : await world.blobs.get(stored.ref);
    return bytes !== undefined && isBody(bytes, sha);
  }

  async #inQueue(world: MemoryWorld, sha: string): Promise<boolean> {
    for (const message of world.main.dump()) {
      const reading = readMessage(message.body);
      if (reading?.bodySha !== sha || message.state === 'lurking') continue;
      const blob = reading.ref === undefined ? undefined : await world.blobs.get(reading.ref);
      const bytes = reading.payload === undefined ? blob : Buffer.from(reading.payload, 'base64');
      if (bytes && isBody(bytes, sha)) return true;
    }
    return false;
  }
}

function isOwed(item: EventItem): boolean {
  return !FINAL.has(item.status) || (item.status === 'dead_letter' && item.dlqSent !== true);
}

/** A first delivery that ran without a claim: claim and end in one write, of the first generation only. */
function isUnclaimed(before: EventItem, after: EventItem): boolean {
  return (
    before.status === 'pending' && HANDLED.has(after.status) && after.gen === 1 && after.recentAttempts?.length === 1
  );
}

/** A pause parks without a note; a handler's deferral notes the attempt it gives back. */
const noted = (item: EventItem): string => JSON.stringify(item.recentAttempts);

function isBody(deflated: Uint8Array, sha: string): boolean {
  const body = nodeCodec.inflate(deflated, 16 * 1_048_576);
  return createHash('sha256').update(body).digest('hex') === sha;
}
