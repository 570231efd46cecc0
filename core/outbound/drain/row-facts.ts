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
import { readBody } from '#core/outbound/publish/message-body.ts';
import { deleteRow, putRetry } from './record-outcome.ts';
import type { Sending } from './sending.ts';
import { persist, type Session, stopFor } from './session-state.ts';
import { settleUnreadable } from './unreadable-body.ts';

export type Row = Placed<RowItem>;

const READ_BYTES = 4 * 1024 * 1024;

export interface Fact {
  readonly row: Row;
  readonly message: MessageItem | undefined;
  readonly record: RecordItem | undefined;
  /** `unreadable`: it is there, and cannot be had now. */
  readonly body: Uint8Array | 'unreadable' | undefined;
}

/** How many of the first messages have bodies that are read at once: ten sessions share the memory of one process. */
function readAtOnce(messages: readonly (MessageItem | undefined)[]): number {
  let bytes = 0;
  const over = messages.findIndex(message => {
    bytes += message?.size ?? 0;
    return bytes > READ_BYTES;
  });
  return over === -1 ? messages.length : Math.max(1, over);
}

/** D4: message, record and bytes of the rows that begin now, and of no others; of the first ones, where bodies are large. */
export async function factsOf(
  session: Session,
  rows: readonly Row[],
  read: 'eventual' | 'consistent' = 'eventual',
): Promise<readonly Fact[]> {
  const { ports, ep } = session;
  const [messages, records] = await Promise.all([
    messagesOf(session, rows, read),
    persist(session, () => ports.store.getMany(rows.map(({ msg, createdAt }) => recordKey({ ep, msg, createdAt })))),
  ]);
  return Promise.all(
    rows.slice(0, readAtOnce(messages)).map(async (row, at) => {
      const message = messages[at];
      const record = records[at];
      const wanted = message !== undefined && message.bodyRemovedAt === undefined && session.runtime.gate === 'open';
      return {
        row,
        message,
        record,
        body: wanted ? await bodyOf(session, message) : undefined,
      };
    }),
  );
}

/** One body that cannot be read stops nobody else's. */
const bodyOf = (session: Session, message: MessageItem): Promise<Fact['body']> =>
  persist(session, () => readBody(session.ports, message)).catch(() => 'unreadable' as const);

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
export function decisionOf({ ports, rules, runtime, config }: Session, { row, message, record, body }: Fact): Decision {
  const there = message?.bodyRemovedAt !== undefined ? 'removed' : message === undefined ? 'gone' : 'there';
  const gone = there === 'there' && body === undefined && runtime.gate === 'open';
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
