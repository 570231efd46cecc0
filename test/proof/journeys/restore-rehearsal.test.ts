/**
 * docs/operate/recover.md, carried out: the tables are restored to an older moment while the queue keeps its
 * messages. Each step of the guide is a step here, under the same name.
 */
import { describe, expect, it } from 'vitest';
import { splitEventPk } from '#core/glossary.ts';
import { PermanentError, retryAfter } from '#core/handler/handler-contract.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { EFFECTS, EVENTS, MemoryWorld, PAYLOADS } from '#test/kit/memory-world.ts';
import { handlerThat } from './support/handlers.ts';

/** What waits in the queue when the tables come back. */
const QUEUED = isLongRun() ? 50_000 : 300;
/** Each kind: what its handler does, told by the first word of the id. */
const KINDS = ['good', 'flaky', 'late', 'dies'];

const SETTLED = ['dies-before-3', 'dies-before-7'];
const sourceOf = (id: string): string => (Number(id.split('-').at(-1)) % 3 === 0 ? 'shop' : 'pay');

class Disaster {
  fixed = false;
  tablesAreGone = false;
  readonly world = new MemoryWorld({
    sources: ['shop', 'pay'],
    hasRunForHours: true,
    idleMs: 200,
    // A copy of a drained message that SQS shows an hour later would be a letter of the restored death.
    deadQueue: { duplicateRate: 0 },
    maximumConcurrency: 50,
    queue: { duplicateRate: 0.01 },
    planOf: role => (role === 'ingest' ? ({ dependency }) => this.#faultOf(dependency) : () => undefined),
    handlers: handlerThat(({ id, nth }) => {
      const kind = id.split('-')[0];
      if (kind === 'flaky' && nth === 1) return Promise.reject(new Error('timeout'));
      if (kind === 'late' && nth === 1) return Promise.resolve(retryAfter(1_800, 'the bank is closed'));
      if (kind === 'dies' && !this.fixed) return Promise.reject(new PermanentError('no such column'));
      return undefined;
    }),
  });
  /** Ids by the phase in which they were acknowledged. */
  readonly acknowledged = new Map<string, string>();
  #copies: readonly (readonly [table: string, items: readonly Readonly<Record<string, unknown>>[]])[] = [];

  #faultOf(dependency: string) {
    return this.tablesAreGone && dependency === 'dynamodb' ? 'error' : undefined;
  }

  async receive(phase: string, count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const id = `${KINDS[n % KINDS.length]}-${phase}-${n}`;
      const answer = await this.world.post({ id, source: sourceOf(id) });
      expect(answer?.status).toBe(200);
      this.acknowledged.set(id, phase);
      if (n % 200 === 199) await this.world.clock.advanceBy(1_000);
    }
  }

  /** The moment to which point-in-time recovery will go back. */
  remember(): void {
    const tables = [EVENTS, PAYLOADS, EFFECTS];
    this.#copies = tables.map(table => [table, this.world.database.dump(table)] as const);
  }

  restore(tables: readonly string[]): void {
    for (const [table, items] of this.#copies.filter(([name]) => tables.includes(name))) {
      this.world.database.empty(table);
      for (const item of items) this.world.database.write({ kind: 'put', table, item });
    }
    this.tablesAreGone = false;
  }

  /** Acknowledged, and no record: only a delivery can bring them back. */
  withoutRecord(): readonly string[] {
    const recorded = new Set(this.world.items().map(it => splitEventPk(it.pk).eventKey as string));
    return [...this.acknowledged.keys()].filter(id => !recorded.has(id));
  }

  /** Step "Ask for the gap again": a provider delivers a phase once more; the answers by id. */
  async deliverAgain(phase: string, limit = 100): Promise<ReadonlyMap<string, string>> {
    const answers = new Map<string, string>();
    for (const [id] of [...this.acknowledged].filter(([, of]) => of === phase).slice(0, limit)) {
      const answer = await this.world.post({ id, source: sourceOf(id) });
      answers.set(id, (JSON.parse(answer?.body ?? '{}') as { status: string }).status);
    }
    return answers;
  }

  /** Everything before the restore: three phases of traffic around the chosen moment, and what a person did meanwhile. */
  async strike(queued: number): Promise<void> {
    const { world } = this;
    world.start();
    await this.receive('before', 40);
    await world.clock.advanceBy(5 * MINUTE_MS);
    await world.pause('shop', true);
    await this.receive('under-way', 40);
    await world.clock.advanceBy(3_000);
    this.remember();

    await world.clock.advanceBy(10_000);
    await this.receive('noticing', 20);
    await world.pause('shop', false);
    this.fixed = true;
    await this.settle();
    await world.clock.advanceBy(5 * MINUTE_MS);
    // Stop the processing.
    world.stop();
    await world.clock.advanceBy(MINUTE_MS);
    await this.receive('stopped', queued);
    this.tablesAreGone = true;
    await this.receive('no-tables', 40);
  }

  /** A person replays two dead letters, now that the handler is fixed. */
  async settle(): Promise<void> {
    for (const id of SETTLED) {
      const request = { replayId: `r-${id}`, by: 'ada', why: 'schema fixed' };
      expect(await this.world.replay(id, request, sourceOf(id))).toMatchObject({ kind: 'replayed' });
    }
  }

  async recover(): Promise<void> {
    const { world } = this;
    // Pauses are those of the moment, too.
    await world.pause('shop', false);
    world.start();
    expect(await world.settle()).toBe(true);
    world.stop();
  }

  timesApplied(): Record<string, number> {
    const rows = this.world.database.dump(EFFECTS);
    return Object.fromEntries(rows.map(row => [String(row['id']), Number(row['times'])]));
  }
}

// Holds I2, I3.
describe('tables restored to an older moment, the queue kept', () => {
  it(
    `end with every acknowledged event final and its effect there once: ${QUEUED} messages queued`,
    async () => {
      const disaster = new Disaster();
      const { world } = disaster;
      await disaster.strike(QUEUED);
      expect(world.main.numbers().visible).toBeGreaterThanOrEqual(QUEUED);
      disaster.restore([EVENTS, PAYLOADS, EFFECTS]);
      await disaster.recover();

      // Accepted and taken off the queue between the moment and the stop. Nothing else, and nothing from the queue.
      const missing = disaster.withoutRecord();
      expect(missing.length).toBeGreaterThan(5);
      expect(new Set(missing.map(id => disaster.acknowledged.get(id)))).toEqual(new Set(['noticing']));
      world.start();
      const answers = await disaster.deliverAgain('noticing');
      expect([...answers].filter(([, status]) => status === 'accepted').map(([id]) => id)).toEqual(missing);
      const again = await disaster.deliverAgain('stopped');
      expect(new Set(again.values())).toEqual(new Set(['already_processed']));
      await disaster.recover();

      // Dead letters somebody had settled are dead again, and their messages are gone: `dlq ls` reads the records.
      const letters = new Set(world.dead.dump().map(it => (JSON.parse(it.body) as { deadId: string }).deadId));
      const unlettered = world.items().filter(it => it.status === 'dead_letter' && !letters.has(it.deadId ?? ''));
      expect(unlettered.map(it => splitEventPk(it.pk).eventKey as string).sort()).toEqual(SETTLED);
      await disaster.settle();
      await disaster.recover();

      const items = world.items();
      expect(items).toHaveLength(disaster.acknowledged.size);
      expect(items.filter(it => !isTerminal(it.status)).map(it => it.pk)).toEqual([]);
      const dead = items.filter(it => it.status === 'dead_letter').map(it => splitEventPk(it.pk).eventKey as string);
      expect(dead.filter(id => !id.startsWith('dies-before-') && !id.startsWith('dies-under-way-'))).toEqual([]);
      expect(dead.filter(id => SETTLED.includes(id))).toEqual([]);
      const applied = disaster.timesApplied();
      const wrong = [...disaster.acknowledged.keys()].filter(id => (applied[id] ?? 0) !== (dead.includes(id) ? 0 : 1));
      expect(wrong).toEqual([]);
      // One idempotency key for all calls of an event.
      const keys = new Map<string, Set<string>>();
      for (const { eventId, key } of world.outside) keys.set(eventId, (keys.get(eventId) ?? new Set()).add(key));
      expect([...keys].filter(([, used]) => used.size > 1)).toEqual([]);
    },
    HOUR_MS,
  );

  it('without the tables of the handlers: what finished after the moment has its effect twice', async () => {
    const disaster = new Disaster();
    await disaster.strike(50);
    disaster.restore([EVENTS, PAYLOADS]);
    await disaster.recover();
    const applied = disaster.timesApplied();
    expect(Object.values(applied).filter(times => times > 1).length).toBeGreaterThan(5);
  });
});
