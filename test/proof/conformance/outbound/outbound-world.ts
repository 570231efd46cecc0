/**
 * The two outbound tables with the writes of core/outbound/protocol, seen as the model sees them. Every deadline is a
 * time of its own, drawn at random, so that leases, retries, holds and wakes end in any order.
 */
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { MemoryDatabase } from '#adapters/memory/memory-database.ts';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { exists } from '#core/condition.ts';
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { Item, ItemPut, ItemResult, ItemUpdate, ItemWrite, Placed, TableKey } from '#core/outbound/ports.ts';
import { type Decision, decide, isOpen, isOver } from '#core/outbound/protocol/decide.ts';
import { type Delivery, liveRow, noteRows, putMessage } from '#core/outbound/protocol/delivery-writes.ts';
import type { AppId, MessageId } from '#core/outbound/protocol/ids.ts';
import type { MessageItem, RecordItem, RowItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import {
  aheadRange,
  applicationKey,
  dueAtOf,
  dueRange,
  endpointKey,
  LISTED,
  messageKey,
  OUTBOUND_TABLES,
  partOf,
  queueOf,
  recordKey,
  rowKind,
  runtimeKey,
  wakeAtOf,
} from '#core/outbound/protocol/keys.ts';
import { mayHaveRows, TURNS } from '#core/outbound/tend/audit.ts';
import type { EffectWrite } from '#core/ports.ts';
import { DAY_MS } from '#core/time.ts';
import { MemoryItemStore } from '#test/kit/memory/memory-item-store.ts';
import type { OutboundRules } from '#test/proof/model/outbound/outbound-rules.ts';
import type {
  DeliveryRecord,
  Gate,
  Message,
  Pointer,
  Row,
  Runtime,
} from '#test/proof/model/outbound/outbound-state.ts';
import { GONE, isShut, NOBODY } from '#test/proof/model/outbound/outbound-state.ts';

export const APP = 'app_walk';
export const EP = 'ep_walk';
/** Deadlines are multiples of this: further apart than the slack of the rules, and than a walk's steps take. */
const GRID_MS = 10_000;
const FURTHEST = 60;
const RETENTION_MS = 30 * DAY_MS;
const GRACE_MS = 8 * DAY_MS;

const BODY = nodeCodec.deflate(new TextEncoder().encode('{}'));

/** A deliberate bug in a write. */
export type WriteBug = (write: ItemWrite) => ItemWrite;

export type PlacedRow = Placed<RowItem>;

/** What a session carries from one step to the next. */
export interface RealSession {
  /** The runtime item as it read it last, which may be long ago. */
  read: RuntimeItem;
  /** Its owner token, once it took the lease. */
  me?: string;
  /** Rows of its page by message, generation and attempt. */
  readonly page: Map<string, PlacedRow>;
  /** When the next row is due, as its last query saw it. */
  next?: EpochMs | undefined;
  /** The row to be put next, by message. */
  readonly retry: Map<number, { readonly nextAt: EpochMs; readonly n: number }>;
  /** The item that the release brought, and whether it said that nothing may be done. */
  found?: { readonly item: RuntimeItem; readonly closed: boolean };
}

/** A person between reading the record and its answer. */
export interface RealReplayer {
  step: 'write' | 'wakeUp';
  readonly gen: number;
  readonly id: string;
  readonly read: RecordItem;
}

export class OutboundWorld {
  readonly clock = new VirtualClock();
  readonly random: SeededRandom;
  readonly sessions: (RealSession | undefined)[] = [undefined, undefined];
  readonly replayers: RealReplayer[] = [];
  /** When its application was noted last, and after when notes and ended sessions count. */
  notedAt: EpochMs = 0;
  countsFrom: EpochMs = 0;
  /** Messages older than the retention. */
  readonly old = new Set<number>();
  /** The default budget of attempts, as the variant has it. */
  readonly attempts: number;
  /** The endpoint wants its messages in order: a row stays until its record is final. */
  readonly ordered: boolean;
  /** The tables as the product's own code sees them. */
  readonly store: MemoryItemStore;
  readonly #tellsPeopleApart: boolean;
  readonly #database: MemoryDatabase;
  readonly #bug: WriteBug | undefined;
  readonly #deadlines = new Set<EpochMs>();
  readonly #created: EpochMs[] = [];
  #ids = 0;

  constructor(
    seed: number,
    { attempts, ordered, people }: Pick<OutboundRules, 'attempts' | 'ordered' | 'people'>,
    bug?: WriteBug,
  ) {
    this.random = new SeededRandom(seed);
    this.attempts = attempts;
    this.ordered = ordered;
    this.#tellsPeopleApart = people === 'two';
    this.#bug = bug;
    this.#database = new MemoryDatabase({ clock: this.clock, random: this.random.fork(), unitsPerPartition: 1e9 });
    this.store = new MemoryItemStore(this.#database);
    for (const [name, { project }] of Object.entries(OUTBOUND_TABLES)) {
      this.#database.define({
        name,
        partition: 'pk',
        sort: 'sk',
        indexes: [{ ...LISTED, sortType: 'string', project }],
      });
    }
    const now = this.clock.now();
    this.#put(applicationKey(APP), { id: APP, state: 'active', endpointVersion: 1, endpoints: 1 });
    this.#put(endpointKey(APP, EP), { id: EP, app: APP, version: 1, createdAt: now, mode: 'live' });
    this.#put(runtimeKey(EP), {
      ep: EP,
      app: APP,
      gate: 'open',
      gateSince: now,
      crashes: 0,
      opens: 0,
      probes: 0,
      recent: '0000',
      cap: 5,
      ewmaMs: 0,
      lane: 'fast',
      dead: 0,
    } satisfies RuntimeItem);
  }

  id(what: string): string {
    this.#ids += 1;
    return `${what} ${this.#ids}`;
  }

  /** A time that nothing else ends at. */
  deadline(): EpochMs {
    const from = Math.floor(this.clock.now() / GRID_MS) + 1;
    let at: EpochMs;
    do at = (from + this.random.int(FURTHEST)) * GRID_MS;
    while (this.#deadlines.has(at));
    this.#deadlines.add(at);
    return at;
  }

  /** `twice`: the reply was lost, and the client's own retry brings the second answer. */
  apply<T>(write: ItemPut<T> | ItemUpdate<T>, twice = false): ItemResult<T> {
    const buggy = (this.#bug ? this.#bug(write) : write) as ItemPut | ItemUpdate;
    const one = (): ItemResult<T> => {
      const done = this.#database.write(stored(buggy));
      if (done.kind === 'refused') return { kind: 'refused', item: done.item as T | undefined };
      return { kind: 'applied', item: done.after as T };
    };
    const first = one();
    return twice ? one() : first;
  }

  transact(writes: readonly ItemWrite[]): 'applied' | 'refused' {
    const buggy = writes.map(write => (this.#bug ? this.#bug(write) : write));
    return this.#database.transact(buggy.map(stored), this.id('transaction')).kind === 'applied'
      ? 'applied'
      : 'refused';
  }

  delete(row: PlacedRow): void {
    this.#database.write({ kind: 'delete', table: 'outbox', key: { pk: row.pk, sk: row.sk } });
  }

  #put(key: TableKey, item: Item): void {
    this.#database.write(stored({ kind: 'put', key, item }));
  }

  #get<T>({ table, pk, sk }: TableKey<T>): T | undefined {
    return this.#database.get(table, { pk, sk }) as T | undefined;
  }

  // ---- messages and deliveries

  publish(m: number): void {
    this.#created[m] ??= this.clock.now();
    const item: MessageItem = {
      id: messageId(m),
      app: APP,
      type: 'walk.step',
      mode: 'live',
      createdAt: this.#created[m],
      inputSha: `input ${m}`,
      size: 2,
      contentType: 'application/json',
      body: BODY,
      expiresAt: 0,
    };
    this.apply(putMessage(item), this.random.chance(0.2));
  }

  fanOut(m: number): void {
    this.#put0(liveRow(this.delivery(m, 1), this.clock.now(), RETENTION_MS));
  }

  #put0(row: Placed<Item>): void {
    this.#database.write({ kind: 'put', table: 'outbox', item: row });
  }

  delivery(m: number, gen: number): Delivery {
    return { ep: EP, app: APP, msg: messageId(m), createdAt: this.#created[m] ?? 0, gen };
  }

  recordItem(m: number): RecordItem | undefined {
    return this.#get(recordKey(this.delivery(m, 1)));
  }

  runtimeItem(): RuntimeItem {
    return this.#get(runtimeKey(EP)) as RuntimeItem;
  }

  /** W28. */
  noteRows(): void {
    this.notedAt = this.clock.now();
    const { pk, sk } = noteRows(APP as AppId, this.notedAt).key;
    this.#put0({ pk, sk, ...noteRows(APP as AppId, this.notedAt).item });
  }

  /** What the endpoint check goes by says that rows came, or that a session ended. */
  isFresh(): boolean {
    return Math.max(this.notedAt, this.runtimeItem().leftAt ?? 0) > this.countsFrom;
  }

  /** Whether a look by notes asks for the rows, where it is not the endpoint's turn. */
  isLookedAt(): boolean {
    const noted = new Set(this.notedAt > this.countsFrom ? [APP] : []);
    const turn = (partOf(EP, TURNS) + 1) % TURNS;
    return mayHaveRows(this.runtimeItem(), { noted, since: this.countsFrom + 1, turn });
  }

  /** The lease ends now: its owner is dead, or a clock stepped. */
  endLease(): void {
    const set = { leaseUntil: this.clock.now() - 1 };
    this.#database.write(stored({ kind: 'update', key: runtimeKey(EP), set, condition: exists('pk') }));
  }

  retentionMs(m: number): number {
    return this.old.has(m) ? this.clock.now() - (this.#created[m] ?? 0) - GRACE_MS : RETENTION_MS;
  }

  decide(m: number, row: RowItem): Decision {
    return decide(row, {
      record: this.recordItem(m),
      message: 'there',
      runtime: this.runtimeItem(),
      ordered: this.ordered,
      now: this.clock.now(),
      retentionMs: this.retentionMs(m),
    });
  }

  // ---- rows

  /** What a session may begin now: of an ordered endpoint its head alone. */
  dueRows(): readonly PlacedRow[] {
    const rows = this.#range(dueRange(EP, this.clock.now()));
    return this.ordered ? this.#head(rows).filter(row => !this.#isAhead(row)) : rows;
  }

  /** When the next row is due that is not due now. */
  nextDue(): EpochMs | undefined {
    if (!this.ordered) return this.#dueTimes(this.#range(aheadRange(EP, this.clock.now())))[0];
    const head = this.#head(this.#range(dueRange(EP, this.clock.now())));
    return this.#dueTimes(head.filter(row => this.#isAhead(row)))[0];
  }

  #head(rows: readonly PlacedRow[]): readonly PlacedRow[] {
    const live = rows.filter(row => rowKind(row) === 'live');
    const first = live[0] ?? rows.toSorted((a, b) => (a.msg < b.msg ? -1 : 1))[0];
    return first ? [first] : [];
  }

  #isAhead(row: PlacedRow): boolean {
    return this.#dueAt(row) > this.clock.now();
  }

  #dueTimes(rows: readonly PlacedRow[]): readonly EpochMs[] {
    return rows.map(row => this.#dueAt(row)).sort((a, b) => a - b);
  }

  /** The row of an ordered endpoint goes by its record. */
  #dueAt(row: PlacedRow): EpochMs {
    if (!this.ordered) return dueAtOf(row);
    const record = this.recordItem(messageNumber(row.msg));
    return record?.gen === row.gen && isOpen(record) ? (record.nextAt ?? 0) : 0;
  }

  allRows(): readonly PlacedRow[] {
    return this.#range({ from: '', to: '~' });
  }

  /** Rows that end behind a shut gate, too. */
  overRows(): readonly PlacedRow[] {
    const dropBefore = this.runtimeItem().dropBefore ?? 0;
    return this.allRows().filter(row => {
      const m = messageNumber(row.msg);
      return isOver(row, this.clock.now(), this.retentionMs(m)) || (row.gen === 1 && row.createdAt < dropBefore);
    });
  }

  #range({ from = '', to = '~' }: { readonly from?: string; readonly to?: string }): readonly PlacedRow[] {
    const [first, last] = [`${queueOf(EP)}\u0000${from}`, `${queueOf(EP)}\u0000${to}`];
    const keys = this.#database.keys('outbox').filter(key => key >= first && key <= last);
    return keys.map(key => this.#database.peek('outbox', key) as unknown as PlacedRow);
  }

  rowAt(sk: string): Pointer | undefined {
    const row = this.allRows().find(it => it.sk === sk);
    return row && this.pointerOf(row);
  }

  pointerOf(row: PlacedRow): Pointer {
    const kind = { live: 'A', retry: 'B', replay: 'C' } as const;
    const due = this.#isAhead(row) ? 'ahead' : 'reached';
    const seen: Row = { kind: kind[rowKind(row)], gen: row.gen, n: row.n, due };
    return { message: messageNumber(row.msg), row: seen };
  }

  // ---- as the model would describe it

  message(m: number): Pick<Message, 'stored' | 'record' | 'rows'> {
    const rows = this.allRows()
      .map(row => this.pointerOf(row))
      .filter(it => it.message === m)
      .map(it => it.row)
      .sort(byModel);
    const stored = this.#created[m] !== undefined && this.#get(messageKey(messageId(m))) !== undefined;
    return { stored, record: recordOf(this.recordItem(m)), rows };
  }

  runtime(): SeenRuntime {
    const item = this.runtimeItem();
    const now = this.clock.now();
    const wakeAt = wakeAtOf(item);
    const owner = this.sessions.findIndex(it => it?.me !== undefined && it.me === item.owner);
    const bits = (of: (m: number) => boolean): number =>
      this.#created.reduce((sum, _, m) => (of(m) ? sum | (1 << m) : sum), 0);
    return {
      owner: item.owner === undefined ? NOBODY : owner < 0 ? GONE : owner,
      leased: item.owner !== undefined && (item.leaseUntil ?? 0) >= now,
      gate: item.gate satisfies Gate,
      gateBy: this.#tellsPeopleApart && isShut(item.gate) && item.gateBy !== 'system' ? (item.gateBy ?? '') : '',
      hold: (item.holdUntil ?? 0) > now,
      wake: wakeAt === undefined ? 'none' : wakeAt > now ? 'ahead' : 'due',
      drop: bits(m => (this.#created[m] ?? 0) < (item.dropBefore ?? 0)),
      old: bits(m => this.old.has(m)),
    };
  }

  /** The next moment at which something ends. */
  nextDeadline(): EpochMs | undefined {
    const now = this.clock.now();
    const { owner, leaseUntil, holdUntil, ...rest } = this.runtimeItem();
    const ends = [
      owner === undefined ? undefined : leaseUntil,
      holdUntil,
      wakeAtOf(rest),
      ...this.#dueTimes(this.allRows()),
    ];
    const ahead = ends.filter(at => at !== undefined).filter(at => at > now);
    return ahead.length === 0 ? undefined : Math.min(...ahead);
  }

  /** No two writes happen in the same millisecond. */
  tick(): Promise<void> {
    return this.clock.advanceBy(1);
  }
}

/** What of the model's runtime item the code writes down: the rest is the model's own account, or off in the walks. */
export type SeenRuntime = Omit<Runtime, 'recent' | 'kept' | 'breaker' | 'probes'>;
export const seenOf = ({ recent: _, kept: __, breaker: ___, probes: ____, ...seen }: Runtime): SeenRuntime => seen;

export const messageId = (m: number): MessageId => `msg_${m}`;
export const messageNumber = (id: MessageId): number => Number(id.slice('msg_'.length));
export const pageKey = (m: number, { gen, n }: Pick<Row, 'gen' | 'n'>): string => `${m} ${gen} ${n}`;

function byModel(a: Row, b: Row): number {
  if (a.kind !== b.kind) return a.kind < b.kind ? -1 : 1;
  return a.gen - b.gen || a.n - b.n;
}

const STATUS = {
  pending: 'pending',
  retrying: 'retrying',
  delivered: 'delivered',
  dead: 'dead',
  aborted: 'ended',
  expired: 'ended',
  dropped: 'ended',
  canceled: 'ended',
} as const;

function recordOf(item: RecordItem | undefined): DeliveryRecord | undefined {
  if (!item) return undefined;
  const status = STATUS[item.status];
  // The model forgets the attempts of a delivery that ended without a request; the record keeps them.
  return { gen: item.gen, status, attempts: status === 'ended' ? 0 : (item.attempts ?? 0) };
}

function stored(write: ItemWrite): EffectWrite {
  const { table, pk, sk } = write.key;
  const conditional = write.condition === undefined ? {} : { condition: write.condition };
  switch (write.kind) {
    case 'put':
      return { kind: 'put', table, item: { ...(write.item as Item), pk, sk }, ...conditional };
    case 'update': {
      const { set, add, remove } = write as ItemUpdate;
      return {
        kind: 'update',
        table,
        key: { pk, sk },
        ...given({ set }),
        ...(add ? { add: add as Record<string, number> } : {}),
        ...given({ remove }),
        ...conditional,
      };
    }
    case 'delete':
      return { kind: 'delete', table, key: { pk, sk }, ...conditional };
    case 'check':
      return { kind: 'check', table, key: { pk, sk }, condition: write.condition };
  }
}
