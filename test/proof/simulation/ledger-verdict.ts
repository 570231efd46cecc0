/** What the ledger demands when all faults are over and time has passed: nothing is missing, nothing happened twice. */
import { type Ledger, show } from './ledger.ts';
import { type Account, isFinal, isOwed, type Row, readMessage } from './ledger-account.ts';

/** In a row, by the faults of a simulation. */
const DEATHS_THAT_MAY_FAIL = 4;

/** The stores as they are at the end. */
export interface FinalStores {
  readonly events: readonly Row[];
  readonly effects: readonly Row[];
  /** Bodies of the messages in the main queue, in whatever state. */
  readonly mainBodies: readonly string[];
  readonly deadBodies: readonly string[];
  /** Entries the watch index still shows. */
  readonly watched: number;
}

export interface Totals {
  announced: number;
  acknowledged: number;
  recorded: number;
  /** By final status; `gone` is finished and deleted by TTL, `copied` in the DLQ without a record. */
  readonly finals: Record<string, number>;
  effects: number;
  /** Acknowledged or recorded, and nowhere. */
  lost: number;
  /** Purged by a person before they had a record. */
  purged: number;
  /** Never acknowledged, never recorded: the provider gave up. */
  refused: number;
}

export function verdict(ledger: Ledger, stores: FinalStores): Totals {
  const totals: Totals = {
    announced: ledger.accounts.size,
    acknowledged: 0,
    recorded: 0,
    finals: {},
    effects: 0,
    lost: 0,
    purged: 0,
    refused: 0,
  };
  const rows = new Map(stores.events.map(row => [String(row['pk']), row]));
  const inDeadQueue = new Set(stores.deadBodies.map(body => readMessage(body)?.deadId));
  const effects = new Map(stores.effects.map(row => [String(row['id']), Number(row['times'])]));
  for (const account of ledger.accounts.values()) {
    if (account.acknowledged) totals.acknowledged += 1;
    if (account.recordedAt !== undefined) totals.recorded += 1;
    totals.effects += effects.get(account.pk) ?? 0;
    judgeEnd(ledger, account, rows.get(account.pk), totals);
    judgeEffects(ledger, account, effects.get(account.pk) ?? 0);
    judgeDeath(ledger, account, inDeadQueue);
  }
  for (const pk of rows.keys()) {
    ledger.look('I8', ledger.accounts.get(pk)?.record !== undefined, () => `${pk} is stored and the ledger missed it`);
  }
  ledger.look('I8', stores.watched === 0, () => `the watch index still shows ${stores.watched} event(s)`);
  const strays = [...ledger.others].filter(([, where]) => where === 'main').length;
  ledger.look('I7', strays === 0, () => `${strays} stray message(s) never reached the DLQ`);
  const waiting = stores.mainBodies.filter(body => readMessage(body) !== undefined).length;
  ledger.look('I2', waiting === 0, () => `${waiting} message(s) are still in the main queue`);
  return totals;
}

function judgeEnd(ledger: Ledger, account: Account, row: Row | undefined, totals: Totals): void {
  const { pk, record, acknowledged, recordedAt, copiedToDeadQueueAt, settledOnce } = account;
  const count = (name: string): void => {
    totals.finals[name] = (totals.finals[name] ?? 0) + 1;
  };
  const invariant = acknowledged ? 'I2' : 'I3';
  if (record && row) {
    count(record.status);
    ledger.look(invariant, !isOwed(record), () => `${pk} is ${show(record)} forever`);
    ledger.look('I14', ledger.hasPayload(account), () => `${pk} is ${show(record)} and has no payload`);
    if (isFinal(record.status)) judgeOutcome(ledger, account, row);
    if (isOwed(record)) totals.lost += 1;
  } else if (settledOnce) count('gone');
  else if (copiedToDeadQueueAt > Number.NEGATIVE_INFINITY) count('copied');
  else if (account.purgedUnrecorded || parentWasPurged(ledger, account)) totals.purged += 1;
  else if (!acknowledged && recordedAt === undefined) totals.refused += 1;
  else {
    totals.lost += 1;
    const said = acknowledged ? 'was acknowledged' : 'had a record';
    ledger.look(invariant, false, () => `${pk} ${said}, and is neither recorded nor in the DLQ`);
  }
}

/** The items of a batch are in its message until it is split. */
function parentWasPurged(ledger: Ledger, { parent }: Account): boolean {
  const request = parent === undefined ? undefined : ledger.accounts.get(parent);
  return request?.purgedUnrecorded === true && request.record === undefined;
}

/** Not only some end: the one its handler was told to bring about, or a death that names why not. */
function judgeOutcome(ledger: Ledger, account: Account, row: Row): void {
  const { pk, record, expectation, incarnations } = account;
  if (!record) return;
  const spent = record.status === 'dead_letter' && record.attempts >= expectation.budget;
  const old =
    record.status === 'skipped_stale' && (incarnations > 0 || row['actionTaken'] === 'older than the dedup window');
  const story = (): string =>
    `${pk} ended as ${show(record)}, cause ${row['cause']} (${row['lastError']}); expected ${expectation.finals.join(' or ')}`;
  ledger.look('I2', spent || old || expectation.finals.includes(record.status), story);
  // One claim past the budget writes the death; where that write fails too, the next claim does it.
  ledger.look('I9', record.attempts <= expectation.budget + 1 + DEATHS_THAT_MAY_FAIL, story);
}

function judgeEffects(ledger: Ledger, account: Account, stored: number): void {
  const { pk, expectation, completions, effects, people, incarnations } = account;
  const wanted = expectation.effect ? completions : 0;
  ledger.look(
    'I5',
    stored === wanted && effects === stored,
    () => `${pk} completed ${completions} time(s) and its effect is there ${stored} time(s)`,
  );
  const replays = [...(people?.replays.values() ?? [])].filter(({ used }) => used).length;
  ledger.look(
    'I5',
    completions <= 1 + replays + incarnations,
    () => `${pk} completed ${completions} times with ${replays} replay(s)`,
  );
}

function judgeDeath(ledger: Ledger, account: Account, inDeadQueue: ReadonlySet<string | undefined>): void {
  const { pk, record } = account;
  if (record?.status !== 'dead_letter') return;
  const death = account.deaths?.get(record.deadId ?? '');
  const left = death?.gone['retention'] ?? death?.gone['move'] ?? death?.gone['purge'];
  ledger.look(
    'I2',
    inDeadQueue.has(record.deadId) || (death !== undefined && death.sent > 0 && left !== undefined),
    () => `${pk} is dead, and the DLQ has no message of it`,
  );
}
