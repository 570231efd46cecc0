/**
 * What is known of a row before its request, and what its record says about it: messages, records and bodies of the rows
 * that begin now, and of no others (a record that was read early is an old record).
 */
import { given } from '#core/given.ts';
import type { Placed } from '#core/outbound/ports.ts';
import { type Decision, decide } from '#core/outbound/protocol/decide.ts';
import { type Delivery, recordUnsent } from '#core/outbound/protocol/delivery-writes.ts';
import type { MessageItem, RecordItem, RowItem } from '#core/outbound/protocol/items.ts';
import { messageKey, recordKey } from '#core/outbound/protocol/keys.ts';
import { bodyOf, fetchBeside, isLarge, READ_BYTES, takeArrived } from './bodies/large-bodies.ts';
import { settleUnreadable } from './bodies/unreadable-body.ts';
import { deleteRow, putRetry } from './record-outcome.ts';
import type { Sending } from './sending.ts';
import { type Body, persist, type Session, stopFor } from './session-state.ts';

export type Row = Placed<RowItem>;

export interface Fact {
  readonly row: Row;
  readonly message: MessageItem | undefined;
  readonly record: RecordItem | undefined;
  readonly body: Body;
}

/** The first ones, whose bodies are read at once: ten sessions share the memory of one process. */
function firstOf(facts: readonly UnreadFact[]): readonly UnreadFact[] {
  let bytes = 0;
  const over = facts.findIndex(({ message }) => {
    bytes += message?.size ?? 0;
    return bytes > READ_BYTES;
  });
  return over === -1 ? facts : facts.slice(0, Math.max(1, over));
}

/** D4: message, record and bytes of the rows that begin now, and of no others; of the first ones, where bodies are large. */
export async function factsOf(session: Session, rows: readonly Row[]): Promise<readonly Fact[]> {
  const found = firstOf(await unreadFacts(session, rows, 'eventual'));
  const read = async (fact: UnreadFact) => (isWanted(session, fact) ? await bodyOf(session, fact.message) : undefined);
  return Promise.all(found.map(async fact => ({ ...fact, body: await read(fact) })));
}

/** Message and record once more, of the table itself. A message says itself that its body was erased; its bytes never change. */
export async function factsAgain(session: Session, sendings: readonly Sending[]): Promise<readonly Fact[]> {
  const rows = sendings.map(({ row }) => row);
  const found = await unreadFacts(session, rows, 'consistent');
  return found.map((fact, at) => ({ ...fact, body: isWanted(session, fact) ? sendings[at]?.body : undefined }));
}

/** As `factsOf`, but nobody waits for a body in the bucket that is slow: a later page has its row. `seen`: rows of these. */
export async function factsBeside(
  session: Session,
  rows: readonly Row[],
): Promise<{ readonly facts: readonly Fact[]; readonly seen: number }> {
  const { large } = session;
  const found = firstOf(await unreadFacts(session, rows, 'eventual'));
  const far = found.filter(fact => isWanted(session, fact) && isLarge(fact.message)) as readonly WantedFact[];
  // Two rows may be of one message: an old pointer, and the one that counts.
  const messages = new Map(far.map(({ message }) => [message.id, message]));
  await fetchBeside(session, [...messages.values()]);
  const late = [...messages.keys()].filter(id => !large.arrived.has(id));
  const near = found.filter(({ row }) => !late.includes(row.msg));
  const here = new Map([...messages.keys()].map(id => [id, takeArrived(large, id)]));
  const facts = near.map(async fact => {
    if (!isWanted(session, fact)) return { ...fact, body: undefined };
    const { message } = fact;
    return { ...fact, body: isLarge(message) ? here.get(message.id) : await bodyOf(session, message) };
  });
  return { facts: await Promise.all(facts), seen: found.length };
}

type UnreadFact = Omit<Fact, 'body'>;
type WantedFact = UnreadFact & { readonly message: MessageItem };

/** A session that only ends reads no body. */
const sends = ({ runtime, toEnd }: Session): boolean => runtime.gate === 'open' && !toEnd;
const isWanted = (session: Session, fact: UnreadFact): fact is WantedFact =>
  fact.message !== undefined && fact.message.bodyRemovedAt === undefined && sends(session);

async function unreadFacts(
  session: Session,
  rows: readonly Row[],
  read: 'eventual' | 'consistent',
): Promise<readonly UnreadFact[]> {
  const { ports, ep } = session;
  const [messages, records] = await Promise.all([
    messagesOf(session, rows, read),
    persist(session, () => ports.store.getMany(rows.map(({ msg, createdAt }) => recordKey({ ep, msg, createdAt })))),
  ]);
  return rows.map((row, at) => ({ row, message: messages[at], record: records[at] }));
}

/** A message changes only when its body is erased, so a copy that lags is as good; "there is none" is asked of the table. */
async function messagesOf(
  session: Session,
  rows: readonly Row[],
  read: 'eventual' | 'consistent',
): Promise<readonly (MessageItem | undefined)[]> {
  const { store } = session.ports;
  const keys = rows.map(({ msg }) => messageKey(msg));
  const seen = await persist(session, () => store.getMany(keys, read));
  const unseen = keys.filter((_, at) => seen[at] === undefined);
  if (unseen.length === 0) return seen;
  const found = await persist(session, () => store.getMany(unseen));
  return seen.map(message => message ?? found.shift());
}

/** What the record says of the row. */
export function decisionOf(session: Session, { row, message, record, body }: Fact): Decision {
  const { ports, rules, runtime, config } = session;
  const there = message?.bodyRemovedAt !== undefined ? 'removed' : message === undefined ? 'gone' : 'there';
  const gone = there === 'there' && body === undefined && sends(session);
  const { ordered } = config.endpoint;
  const state = { record, runtime, ordered, now: ports.clock.now(), retentionMs: rules.retentionMs };
  return decide(row, { ...state, message: gone ? 'gone' : there });
}

/** The delivery that the row is for. */
export function deliveryOf({ ep, runtime }: Session, { row, message, record }: Fact): Delivery {
  const { msg, createdAt, gen, keepMs } = row;
  const type = message?.type ?? record?.type;
  return { ...{ ep, msg, createdAt, gen, app: runtime.app }, ...given({ type, keepMs }) };
}

/** D5: what the record says. Everything but a request is done here; a request comes back. */
export async function settleUnsent(session: Session, fact: Fact): Promise<Sending | undefined> {
  const { ports, rules } = session;
  const { row, message, record, body } = fact;
  const now = ports.clock.now();
  const decision = decisionOf(session, fact);
  const delivery = deliveryOf(session, fact);
  switch (decision.do) {
    case 'send':
      if (message === undefined || body === undefined || session.toEnd) return undefined;
      if (body !== 'unreadable') return { delivery, row, n: decision.n, message, record, body };
      await settleUnreadable(session, { delivery, row, n: decision.n, message, record });
      return undefined;
    case 'delete':
      await deleteRow(session, row);
      return undefined;
    case 'end':
      await persist(session, () =>
        ports.store.update(recordUnsent(delivery, decision.status, { now, retentionMs: rules.retentionMs })),
      );
      ports.telemetry.count('EndedUnsent');
      await deleteRow(session, row);
      return undefined;
    case 'repair':
      await putRetry(session, { delivery }, { attempts: decision.n - 1, nextAt: decision.nextAt });
      await deleteRow(session, row);
      return undefined;
    case 'wait':
      session.waitUntil = decision.until;
      stopFor(session, 'waiting');
      return undefined;
  }
}
