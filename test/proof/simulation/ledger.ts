/**
 * The oracle of the simulation: an account of every event, kept from what providers got as answers, what handlers did,
 * every change of every record and every message that came and went. It complains at once about what must never be seen,
 * and at the end (ledger-verdict.ts) about what is missing. It shares no code with the product.
 */
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import {
  type Account,
  type DeathNote,
  type Expectation,
  isFinal,
  isKnownStatus,
  isOwed,
  mayMove,
  openAccount,
  type PeopleNotes,
  type RecordView,
  type Row,
  readMessage,
  viewOf,
} from './ledger-account.ts';

export interface Complaint {
  readonly invariant: string;
  readonly text: string;
}
export interface RowChange {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
  readonly by: 'write' | 'transaction' | 'ttl';
}
export type GoneBy = 'delete' | 'retention' | 'purge' | 'redrive' | 'move';

export interface LedgerOptions {
  readonly now: () => number;
  /** Hosts' clocks are off by up to this much. */
  readonly skewMs: number;
  /** Days a finished event is kept, and a dead one. */
  readonly retentionDays: number;
  readonly deadRetentionDays: number;
  /** Told of each event that becomes final: milliseconds since it was recorded. */
  readonly onFinal?: (account: Account, tookMs: number) => void;
}

/** The sweeper reads arrivals this far behind the clock (docs/decisions/the-sweeper-reads-every-arrival-twice.md); the index is at most so late here. */
const GRACE_MS = 120_000;
const INDEX_LAG_MS = 10_000;
const MAX_COMPLAINTS = 25;
/** Messages may arrive this much early: SQS counts in seconds, and the product allows for it. */
const EARLY_MS = 2_000;

export class Ledger {
  readonly accounts = new Map<string, Account>();
  readonly complaints: Complaint[] = [];
  /** Complaints in all; the list keeps the first ones. */
  wrong = 0;
  /** How often each invariant was looked at. */
  readonly looks = new Map<string, number>();
  /** Records that are owed something now. */
  owed = 0;
  /** A person has started a bulk replay. */
  jobsAllowed = false;
  /** A person is removing what does not belong into the DLQ. */
  tidying = false;
  readonly others = new Map<string, 'main' | 'dead'>();
  readonly counts = {
    deletedByTtl: 0,
    nativeRedrives: 0,
    purged: 0,
    mostCopies: 0,
    handlerRuns: 0,
    outsideCalls: 0,
    foundByAudit: 0,
  };
  readonly deadCauses = new Map<string, number>();
  readonly #now: () => number;
  readonly #options: LedgerOptions;
  readonly #payloads = new Set<string>();
  readonly #unwatched = new Set<Account>();
  readonly #foundByAudit = new Set<Account>();
  readonly #keyOwners = new Map<string, string>();

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#now = options.now;
  }

  complain(invariant: string, text: string): void {
    this.wrong += 1;
    const at = new Date(this.#now()).toISOString();
    if (this.complaints.length < MAX_COMPLAINTS) this.complaints.push({ invariant, text: `${text} (at ${at})` });
  }

  look(invariant: string, holds: boolean, text: () => string): void {
    this.looks.set(invariant, (this.looks.get(invariant) ?? 0) + 1);
    if (!holds) this.complain(invariant, text());
  }

  /**
   * The product reports a mistake of its own. docs/decisions/the-sweeper-reads-every-arrival-twice.md accepts one: a record that was really written later than the
   * sweeper waits, by a request that was not acknowledged or whose message was sent, is found by the audit, once.
   */
  reported(line: Row): void {
    const account = this.accounts.get(String(line['pk']));
    const accepted =
      account !== undefined &&
      line['cause'] === 'owed_but_not_watched' &&
      this.#wasWrittenLate(account) &&
      (!account.acknowledged || account.copies > 0) &&
      !this.#foundByAudit.has(account);
    this.look('I2', accepted, () => `the product reports a mistake of its own: ${JSON.stringify(line)}`);
    if (!accepted) return;
    this.#foundByAudit.add(account);
    this.counts.foundByAudit += 1;
  }

  /** A provider is about to send this event for the first time; `parent`: as an item of this request. */
  announce(pk: string, expectation: Expectation, parent?: string): void {
    if (!this.accounts.has(pk)) this.accounts.set(pk, openAccount(pk, expectation, parent));
  }

  /** A genuine delivery of these bytes left the provider. */
  delivered(pk: string, bodySha: string): void {
    const account = this.accounts.get(pk);
    if (account && !account.bodies.includes(bodySha)) account.bodies = [...account.bodies, bodySha];
  }

  /** The gateway answered. `heard`: the provider got the answer. */
  answered(pk: string, status: number, startedAt: number, heard: boolean): void {
    const account = this.accounts.get(pk);
    if (!account) return;
    this.look('I11', status === 200 || status === 503, () => `${pk} is genuine and was answered ${status}`);
    if (status !== 200) return;
    const durable = account.record !== undefined || account.wholeSentAt >= startedAt || account.settledOnce;
    this.look('I1', durable, () => `${pk} was acknowledged while neither the table nor the queue had it`);
    if (heard) account.acknowledged = true;
  }

  /** Events of one source that are owed something now. */
  owedOf(source: string): number {
    let owed = 0;
    for (const account of this.accounts.values()) {
      if (account.source === source && (account.record === undefined || isOwed(account.record))) owed += 1;
    }
    return owed;
  }

  /** The request that carries this event was acknowledged. */
  promised(pk: string): void {
    const account = this.accounts.get(pk);
    if (account) account.acknowledged = true;
  }

  /** The answer to a request that no provider signed. */
  answeredForgery(pk: string, status: number): void {
    this.look('I10', status === 401 || status >= 500, () => `a forged request for ${pk} was answered ${status}`);
  }

  eventChanged({ before, after, by }: RowChange): void {
    const pk = String((after ?? before)?.['pk']);
    if (pk === '_control#arrivals') this.#checkCursors(JSON.parse(String(after?.['value'] ?? '{}')));
    if (pk.startsWith('_control#')) return;
    const account = this.accounts.get(pk);
    this.look('I10', account !== undefined, () => `${pk} has a record, and no provider ever sent it`);
    if (!account) return;
    const was = account.record;
    const is = after && viewOf(after);
    if (was && isOwed(was)) this.owed -= 1;
    if (is && isOwed(is)) this.owed += 1;
    account.record = is;
    this.#noteTimes(account, was, is);
    if (!is) this.#checkDeletion(account, was, by);
    else if (!was) this.#checkInsert(account, is);
    else this.#checkMove(account, was, is, after);
    if (!is) return;
    this.#checkWatch(account, was, is);
    this.#checkLifetime(account, was, is);
  }

  /** Both tables were emptied behind everybody's back. */
  tablesEmptied(): void {
    this.#payloads.clear();
    for (const account of this.accounts.values()) {
      if (!account.record) continue;
      if (isOwed(account.record)) this.owed -= 1;
      account.record = undefined;
      account.incarnations += 1;
      account.settledOnce = false;
    }
  }

  payloadChanged({ before, after, by }: RowChange): void {
    const row = after ?? before;
    const sk = String(row?.['sk']);
    if (!sk.startsWith('B#')) return;
    const pk = String(row?.['pk']);
    if (after) {
      this.#payloads.add(`${pk} ${sk}`);
      return;
    }
    this.#payloads.delete(`${pk} ${sk}`);
    const record = this.accounts.get(pk)?.record;
    this.look(
      'I14',
      by === 'ttl' && `B#${record?.bodySha}` !== sk,
      () => `the payload of ${pk} was deleted while its record lives`,
    );
  }

  hasPayload(account: Account): boolean {
    return this.#payloads.has(`${account.pk} B#${account.record?.bodySha}`);
  }

  /** A row of the handlers' own table: the effect of an event. */
  effectChanged({ after, by }: RowChange): void {
    const pk = String(after?.['id']);
    const account = this.accounts.get(pk);
    if (!account) {
      this.complain('I5', `an effect of ${pk}, which nobody sent`);
      return;
    }
    const record = account.record;
    account.effects = Number(after?.['times']);
    this.look(
      'I5',
      by === 'transaction' &&
        record?.status === 'completed' &&
        record.gen === after?.['gen'] &&
        record.attempts === after?.['attempt'],
      () => `${pk}: an effect of generation ${after?.['gen']}, attempt ${after?.['attempt']}, beside ${show(record)}`,
    );
    this.look(
      'I5',
      account.effects <= account.completions,
      () => `${pk} had its effect ${account.effects} times in ${account.completions} completed run(s)`,
    );
  }

  sent(queue: 'main' | 'dead', body: string): void {
    const message = readMessage(body);
    const account = message && this.accounts.get(message.pk);
    if (!account) {
      if (queue === 'dead') this.others.set(body, 'dead');
      return;
    }
    const now = this.#now();
    if (queue === 'main') {
      account.lastSentAt = now;
      if (message.whole) account.wholeSentAt = now;
      account.copies += 1;
      this.counts.mostCopies = Math.max(this.counts.mostCopies, account.copies);
    } else if (message.deadId === undefined) {
      account.copiedToDeadQueueAt = now;
      this.look('I9', !account.record, () => `a copy of ${message.pk} went to the DLQ beside ${show(account.record)}`);
    } else deathOf(account, message.deadId).sent += 1;
  }

  /** A person or another system put something into the main queue that is not the product's. */
  strayed(body: string): void {
    this.others.set(body, 'main');
  }

  /** A message left a queue. `receivedAt`: when the reader who deleted it had received it. */
  gone(queue: 'main' | 'dead', body: string, by: GoneBy, receivedAt: number): void {
    const message = readMessage(body);
    const account = message && this.accounts.get(message.pk);
    if (by === 'redrive') this.counts.nativeRedrives += 1;
    if (by === 'purge') this.counts.purged += 1;
    if (!account) {
      if (by !== 'delete' || this.tidying) return;
      this.look(
        'I7',
        queue === 'main' && this.others.get(body) === 'dead',
        () => 'a stray message was deleted without a copy in the DLQ',
      );
      return;
    }
    if (queue === 'dead') this.#goneFromDead(account, message.deadId, by);
    else if (by === 'delete') this.#checkDelete(account, message.gen, receivedAt);
    else if (by === 'purge' && !account.record) account.purgedUnrecorded = true;
  }

  handlerRan(run: { pk: string; gen: number; attempt: number; bodySha: string; ofItsType: boolean }): void {
    this.counts.handlerRuns += 1;
    const account = this.accounts.get(run.pk);
    if (!account) {
      this.complain('I10', `a handler ran for ${run.pk}, which nobody sent`);
      return;
    }
    const genuine = account.bodies.includes(run.bodySha);
    const same =
      account.record === undefined || run.gen !== account.record.gen || account.record.bodySha === run.bodySha;
    this.look('I13', genuine && same, () => `the handler of ${run.pk} got bytes that were not on the wire`);
    this.look('I13', run.ofItsType, () => `a body of ${run.pk} reached the handler of another type`);
  }

  calledOutside(call: { pk: string; gen: number; key: string }): void {
    this.counts.outsideCalls += 1;
    const account = this.accounts.get(call.pk);
    if (!account) {
      this.complain('I10', `a handler ran for ${call.pk}, which nobody sent`);
      return;
    }
    const run = account.people?.runs.get(call.gen) ?? 1;
    account.outsideKeys ??= new Map();
    const known = account.outsideKeys.get(run);
    if (known === undefined) account.outsideKeys.set(run, call.key);
    const owner = this.#keyOwners.get(call.key) ?? `${call.pk} ${run}`;
    this.#keyOwners.set(call.key, owner);
    this.look(
      'I6',
      (known ?? call.key) === call.key && owner === `${call.pk} ${run}`,
      () => `${call.pk}, run ${run}: called with the keys ${known} and ${call.key} (of ${owner})`,
    );
  }

  /** A person asked for a new generation of this event. */
  replayAsked(pk: string, replayId: string, newKey: boolean): void {
    const account = this.accounts.get(pk);
    if (account && !notesOf(account).replays.has(replayId))
      notesOf(account).replays.set(replayId, { newKey, used: false });
  }

  #noteTimes(account: Account, was: RecordView | undefined, is: RecordView | undefined): void {
    const now = this.#now();
    const final = is !== undefined && isFinal(is.status);
    const wasFinal = was !== undefined && isFinal(was.status);
    if (final) account.finalUntil = Number.POSITIVE_INFINITY;
    else if (wasFinal) account.finalUntil = now;
    if (is?.parked) account.parkedUntil = Number.POSITIVE_INFINITY;
    else if (was?.parked) account.parkedUntil = now;
    if (!was) account.recordedAt = now;
    if (!final || wasFinal) return;
    if (!account.settledOnce) this.#options.onFinal?.(account, now - (account.recordedAt ?? now));
    account.settledOnce = true;
  }

  #checkDeletion(account: Account, was: RecordView | undefined, by: RowChange['by']): void {
    const expired = was?.expiresAt !== undefined && was.expiresAt * 1_000 <= this.#now();
    this.look(
      'I8',
      by === 'ttl' && was !== undefined && !isOwed(was) && expired,
      () => `${account.pk} was deleted as ${show(was)}`,
    );
    this.counts.deletedByTtl += 1;
    account.incarnations += 1;
  }

  #checkInsert(account: Account, is: RecordView): void {
    const { pk } = account;
    const first = is.status === 'skipped_stale' || is.status === 'pending' || is.parked || is.status === 'processing';
    this.look('I4', first && (is.gen === 1 || account.incarnations > 0), () => `${pk} began as ${show(is)}`);
    this.look('I14', this.hasPayload(account), () => `${pk} has a record without its payload`);
    this.look('I13', account.bodies.includes(is.bodySha), () => `${pk} was recorded with bytes nobody sent`);
    if (account.people) account.people.runs.set(is.gen, is.run);
  }

  #checkMove(account: Account, was: RecordView, is: RecordView, after: Row | undefined): void {
    const { pk } = account;
    const story = (): string => `${pk}: ${show(was)} became ${show(is)}`;
    this.look('I4', isKnownStatus(is.status), story);
    if (is.gen !== was.gen) {
      this.#checkReplay(account, was, is, String(after?.['replayId']), story);
      return;
    }
    this.look('I4', mayMove(was.status, is.status), story);
    this.look('I6', is.run === was.run, story);
    if (is.status === 'completed' && was.status !== 'completed') account.completions += 1;
    if (was.status === 'dead_letter' && is.status !== 'dead_letter') {
      this.look('I4', account.people?.redrives.has(was.deadId ?? '') === true, story);
      return;
    }
    this.look('I4', !isFinal(was.status) || is.deadId === was.deadId, story);
    if (is.status === 'dead_letter' && was.status !== 'dead_letter') this.#countDeath(String(after?.['cause']));
    const claimed = is.status === 'processing' && is.owner !== was.owner;
    const free = was.status !== 'processing' || (was.leaseUntil ?? 0) < this.#now() + 2 * this.#options.skewMs;
    this.look('I5', !claimed || free, () => `${story()}: its lease was still valid`);
    const due = (was.nextAttemptAt ?? 0) <= this.#now() + EARLY_MS + this.#options.skewMs;
    this.look('I9', !claimed || due, () => `${story()}: claimed before ${was.nextAttemptAt}`);
    const grown = is.attempts - was.attempts;
    const unclaimed = was.status === 'pending' && is.gen === 1 && isFinal(is.status) && is.status !== 'dead_letter';
    this.look('I9', grown === (claimed || unclaimed ? 1 : 0) || (grown === -1 && is.status === 'deferred'), story);
  }

  #checkReplay(account: Account, was: RecordView, is: RecordView, replayId: string, story: () => string): void {
    // A bulk job replays what its filter means; its id begins so.
    if (this.jobsAllowed && replayId.startsWith('rj-')) this.replayAsked(account.pk, replayId, false);
    const asked = account.people?.replays.get(replayId);
    const caughtUp = account.incarnations > 0 && is.gen > was.gen;
    const allowed = is.gen === was.gen + 1 && is.status === 'pending' && asked !== undefined && !asked.used;
    this.look('I4', allowed || caughtUp, () => `${story()} without a person's replay (${replayId})`);
    if (asked) asked.used = true;
    const run = was.run + (was.status === 'completed' || asked?.newKey ? 1 : 0);
    this.look('I6', caughtUp || is.run === run, story);
    notesOf(account).runs.set(was.gen, was.run).set(is.gen, is.run);
  }

  #checkWatch(account: Account, was: RecordView | undefined, is: RecordView): void {
    const owed = isOwed(is);
    const unfinished = is.gen === 1 && (is.status === 'pending' || is.status === 'processing');
    const fresh = owed && unfinished && !was?.watched;
    if (owed && !is.watched) this.#unwatched.add(account);
    else this.#unwatched.delete(account);
    this.look(
      'I8',
      (owed === is.watched || fresh) && owed === (is.expiresAt === undefined),
      () => `${account.pk} is ${show(is)}, watched: ${is.watched}, expires: ${is.expiresAt}`,
    );
  }

  /** A request froze before its write, longer than the sweeper waits. */
  #wasWrittenLate({ record, recordedAt = 0 }: Account): boolean {
    return record !== undefined && recordedAt - record.receivedAt > GRACE_MS - INDEX_LAG_MS - this.#options.skewMs;
  }

  /** The sweeper passes nothing that is open and not watched, unless it was recorded later than the sweeper came. */
  #checkCursors(cursors: Readonly<Record<string, number>>): void {
    for (const account of this.#unwatched) {
      const { record } = account;
      if (!record || !isOwed(record) || this.#wasWrittenLate(account)) continue;
      const ahead = record.receivedAt >= (cursors[account.source] ?? 0);
      this.look('I8', ahead, () => `${account.pk} is ${show(record)}, not watched, and was passed`);
    }
  }

  /** A finished event is kept for the retention, counted in seconds from its end, and no longer. */
  #checkLifetime(account: Account, was: RecordView | undefined, is: RecordView): void {
    if (is.expiresAt === undefined || is.expiresAt === was?.expiresAt) return;
    const { retentionDays, deadRetentionDays, skewMs } = this.#options;
    const days = is.status === 'dead_letter' ? deadRetentionDays : retentionDays;
    const off = Math.abs(is.expiresAt * 1_000 - this.#now() - days * DAY_MS);
    this.look(
      'I8',
      off <= skewMs + 20 * MINUTE_MS,
      () => `${account.pk} is ${show(is)} and expires at ${is.expiresAt}`,
    );
  }

  #countDeath(cause: string): void {
    this.deadCauses.set(cause, (this.deadCauses.get(cause) ?? 0) + 1);
  }

  #checkDelete(account: Account, gen: number, receivedAt: number): void {
    const { record, finalUntil, parkedUntil, lastSentAt, copiedToDeadQueueAt } = account;
    const settled = finalUntil >= receivedAt || parkedUntil >= receivedAt;
    const superseded = record !== undefined && record.gen > gen;
    const handedOn = lastSentAt >= receivedAt || copiedToDeadQueueAt >= receivedAt;
    this.look(
      'I7',
      settled || superseded || handedOn,
      () => `a message of ${account.pk}, generation ${gen}, was deleted beside ${show(record)}`,
    );
  }

  #goneFromDead(account: Account, deadId: string | undefined, by: GoneBy): void {
    if (deadId === undefined) {
      this.look('I7', by !== 'delete', () => `a copy of ${account.pk} without a record was deleted from the DLQ`);
      return;
    }
    const note = deathOf(account, deadId);
    note.gone[by] = (note.gone[by] ?? 0) + 1;
    if (by === 'move') notesOf(account).redrives.add(deadId);
    if (by !== 'delete') return;
    const { record } = account;
    this.look(
      'I7',
      record !== undefined && !(record.status === 'dead_letter' && record.deadId === deadId),
      () => `the DLQ message of ${account.pk} was deleted beside ${show(record)}`,
    );
  }
}

function notesOf(account: Account): PeopleNotes {
  account.people ??= { replays: new Map(), runs: new Map(), redrives: new Set() };
  return account.people;
}

function deathOf(account: Account, deadId: string): DeathNote {
  account.deaths ??= new Map();
  const known = account.deaths.get(deadId) ?? { sent: 0, gone: {} };
  account.deaths.set(deadId, known);
  return known;
}

export function show(record: RecordView | undefined): string {
  if (!record) return 'no record';
  const { status, gen, run, attempts, parked, dlqSent } = record;
  return `${status} (gen ${gen}, run ${run}, attempts ${attempts}${parked ? ', parked' : ''}${dlqSent ? ', in DLQ' : ''})`;
}
