/**
 * Batches: which deliveries one request of a batched endpoint carries. Its members and its id are fixed before its first
 * request, by the session that has the lease, and stay until it is delivered or split. A member that is over, or was
 * replayed, leaves: what is left is a part of it, under an id of its own.
 */
import { given } from '#core/given.ts';
import { allOf } from '#core/outbound/pages.ts';
import type { KeyRange } from '#core/outbound/ports.ts';
import { isOpen } from '#core/outbound/protocol/decide.ts';
import { type Batch, fixBatches, type Outcome } from '#core/outbound/protocol/delivery-writes.ts';
import type { BatchMember, RecordItem } from '#core/outbound/protocol/items.ts';
import { batchesRange, batchKey, laterRowKey, queueOf } from '#core/outbound/protocol/keys.ts';
import { batchBytes, batchId, fitsBatch } from './prepare.ts';
import { writeEnd, writeFailure, writeWait } from './record-outcome.ts';
import { decisionOf, deliveryOf, type Fact, factsOf, type Row } from './row-facts.ts';
import type { Sending } from './sending.ts';
import { persist, type Session, stopFor } from './session-state.ts';

type Request = readonly Sending[];

const keyOf = ({ msg, gen }: Pick<BatchMember, 'msg' | 'gen'>): string => `${msg}#${gen}`;

/** Those that are open, by the message and generation of each member. Only the session that has the lease changes them. */
async function openBatches(session: Session): Promise<Map<string, Batch>> {
  if (session.batches !== undefined) return session.batches;
  const open = new Map<string, Batch>();
  const { store } = session.ports;
  const persistent = { query: <T>(range: KeyRange<T>) => persist(session, () => store.query(range)) };
  for (const { sk, members } of await allOf(persistent, batchesRange(session.ep)))
    for (const member of members) open.set(keyOf(member), { id: sk, members });
  session.batches = open;
  return open;
}

/** The place of the first row of each batch that is known, and of each row that is in none. */
export function headsOf({ batches }: Session, rows: readonly Row[]): readonly number[] {
  const met = new Set<string>();
  return rows.flatMap((row, at) => {
    const id = batches?.get(keyOf(row))?.id;
    if (id !== undefined && met.has(id)) return [];
    if (id !== undefined) met.add(id);
    return [at];
  });
}

/** One delivery a request; of a batched endpoint the batches that were sent before, and new ones up to its limits. */
export async function inRequests(session: Session, sendings: readonly Sending[]): Promise<readonly Request[]> {
  const { batch, ordered } = session.config.endpoint;
  if (batch === undefined || ordered) return sendings.map(sending => [sending]);
  const open = sendings.length === 0 ? new Map<string, Batch>() : await openBatches(session);
  const requests: Sending[][] = [];
  const met = new Set<string>();
  let group: Sending[] = [];
  for (const sending of sendings) {
    const known = open.get(keyOf(sending.delivery));
    if (known !== undefined) {
      if (!met.has(known.id)) requests.push([...(await wholeBatch(session, known, sendings))]);
      met.add(known.id);
    } else if (!fitsBatch(sending) || sending.record?.firstAt !== undefined) {
      // No JSON; or it was sent alone, before the endpoint asked for batches.
      requests.push([sending]);
    } else {
      const fits = group.length < batch.maxEvents && batchBytes([...group, sending]) <= batch.maxBytes;
      if (group.length > 0 && fits) group.push(sending);
      else {
        group = [sending];
        requests.push(group);
      }
    }
  }
  return requests.filter(request => request.length > 0);
}

/** What a record says of a member that is not in hand. */
type Standing =
  | { readonly is: 'to send'; readonly sending: Sending }
  | { readonly is: 'answered' | 'left'; readonly record?: RecordItem };

/** All members of a batch that was sent before; none, where its last answer says what to do without a request. */
async function wholeBatch(session: Session, batch: Batch, sendings: readonly Sending[]): Promise<Request> {
  const inHand = new Map(sendings.map(sending => [keyOf(sending.delivery), sending]));
  const others = batch.members.filter(member => !inHand.has(keyOf(member)));
  const facts =
    others.length === 0
      ? []
      : await factsOf(
          session,
          others.map(member => rowOf(session, member)),
        );
  const standings = new Map(facts.map(fact => [keyOf(fact.row), standingOf(session, fact)]));
  const request = batch.members.flatMap(member => {
    const standing = standings.get(keyOf(member));
    return inHand.get(keyOf(member)) ?? (standing?.is === 'to send' ? standing.sending : []);
  });
  const answered = [...standings.values()].flatMap(it => (it.is === 'answered' && it.record ? [it.record] : []))[0];
  if (answered === undefined) return request;
  // A session died between its records: what one of them says is what the request's answer was for all.
  for (const sending of request) await recordAlike(session, sending, answered);
  if (!isOpen(answered)) await forgetBatch(session, request);
  return [];
}

function standingOf(session: Session, read: Fact): Standing {
  const { record } = read;
  const row = rowOf(session, read.row, record);
  const fact: Fact = { ...read, row };
  const { message, body } = fact;
  if (record !== undefined && record.gen === row.gen) {
    const { status, nextAt = 0 } = record;
    if (status === 'delivered' || status === 'aborted') return { is: 'answered', record };
    if (isOpen(record) && nextAt > session.ports.clock.now()) return { is: 'answered', record };
  }
  const decision = decisionOf(session, fact);
  if (decision.do !== 'send' || message === undefined || body === undefined || body === 'unreadable')
    return { is: 'left' };
  return { is: 'to send', sending: { delivery: deliveryOf(session, fact), row, n: decision.n, message, record, body } };
}

/** Where its row lies: the one of its last failure, or the one it had when the batch was fixed. */
function rowOf(
  { ep }: Session,
  { row, sk, ...member }: Omit<BatchMember, 'row'> & { readonly row?: string; readonly sk?: string },
  record?: RecordItem,
): Row {
  const { msg, createdAt, gen, keepMs } = member;
  const about = { msg, createdAt, gen, ...given({ keepMs }), expiresAt: 0 };
  const n = (record?.attempts ?? 0) + 1;
  if (record?.nextAt === undefined || record.gen !== gen)
    return { ...about, n: 1, pk: queueOf(ep), sk: row ?? sk ?? '' };
  return { ...about, n, ...laterRowKey({ ep, msg }, { dueAt: record.nextAt, kind: 'r', gen, n }) };
}

/** W5, or W6, or W21: what the answer to the same request meant for another member. */
async function recordAlike(session: Session, sending: Sending, other: RecordItem): Promise<void> {
  const { last, snippet, firstAt, nextAt, attempts = 0, waits = 0 } = other;
  if (last === undefined) return;
  const outcome: Outcome = {
    ...{ now: session.ports.clock.now(), retentionMs: session.rules.retentionMs, last },
    ...given({ snippet }),
    ...(sending.record?.firstAt === undefined && firstAt !== undefined ? { firstAt } : {}),
  };
  if (other.status === 'delivered' || other.status === 'aborted')
    await writeEnd(session, sending, other.status, outcome);
  else if (nextAt === undefined) return;
  else if (attempts > (sending.record?.attempts ?? 0))
    await writeFailure(session, { ...sending, n: attempts }, nextAt, outcome);
  else await writeWait(session, sending, { nextAt, waits }, outcome);
}

/** W24, before the first request of a batch, or where members have left it. False: nothing may be sent. */
export async function fixMembers(session: Session, request: Request): Promise<boolean> {
  const { batch, ordered } = session.config.endpoint;
  const [first] = request;
  if (batch === undefined || ordered || first === undefined || !fitsBatch(first)) return true;
  const open = await openBatches(session);
  const known = open.get(keyOf(first.delivery));
  if (known !== undefined && known.members.length === request.length) return true;
  return change(session, [request], known);
}

/** W24: in two halves, each with an id of its own. Its answer said that one of them is at fault, and not which. */
export async function splitBatch(session: Session, request: Request): Promise<void> {
  const middle = Math.ceil(request.length / 2);
  const known = session.batches?.get(keyOf((request[0] as Sending).delivery));
  await change(session, [request.slice(0, middle), request.slice(middle)], known);
}

/** W25: all its records are written, or it is over. */
export async function forgetBatch(session: Session, request: Request): Promise<void> {
  const known = request[0] && session.batches?.get(keyOf(request[0].delivery));
  if (known === undefined) return;
  await persist(session, () => session.ports.store.delete(batchKey(session.ep, known.id)));
  for (const member of known.members) session.batches?.delete(keyOf(member));
}

const TRIES = 3;
const PAUSE_MS = 100;

async function change(session: Session, requests: readonly Request[], of: Batch | undefined): Promise<boolean> {
  const { ports, rules, ep, me } = session;
  const { store, crypto, clock, ids, timer, telemetry } = ports;
  const batches = requests.map((request): Batch => {
    const members = request.map(memberOf);
    return {
      id: batchId(
        members.map(({ msg }) => msg),
        crypto,
      ),
      members,
    };
  });
  const times = { now: clock.now(), retentionMs: rules.retentionMs };
  const writes = fixBatches({ ep, me }, batches, of?.id, times);
  for (let tried = 1; ; tried++) {
    const token = ids.uuid();
    const { kind } = await persist(session, () => store.transact(writes, token));
    if (kind === 'applied') break;
    if (kind === 'refused') telemetry.count('SessionsRobbed');
    if (kind === 'refused' || tried === TRIES) {
      stopFor(session, kind === 'refused' ? 'robbed' : 'broken');
      return false;
    }
    // Somebody changed the endpoint's item meanwhile.
    await timer.sleep(PAUSE_MS * tried);
  }
  for (const member of of?.members ?? []) session.batches?.delete(keyOf(member));
  for (const batch of batches) for (const member of batch.members) session.batches?.set(keyOf(member), batch);
  return true;
}

function memberOf({ delivery: { msg, createdAt, gen, keepMs }, row }: Sending): BatchMember {
  return { msg, createdAt, gen, row: row.sk, ...given({ keepMs }) };
}
