/**
 * Where each item lies. Every key of a delivery follows from endpoint, message and the message's own time, so there is
 * nothing to look up. Times in keys are 13 digits, so that their order as texts is their order in time.
 */
import type { EpochMs } from '#core/glossary.ts';
import type { KeyRange, OutboundTable, TableKey } from '#core/outbound/ports.ts';
import { toHour, toIso } from '#core/time.ts';
import type { AppId, EndpointId, JobId, MessageId } from './ids.ts';
import type {
  ApplicationItem,
  AttemptItem,
  BatchItem,
  ContactsItem,
  ControlItem,
  CopyNameItem,
  EndpointItem,
  EventTypeItem,
  MessageItem,
  NameItem,
  NewAppItem,
  RecordItem,
  ReplayJobItem,
  ReplayNoteItem,
  RowItem,
  RowNoteItem,
  RuntimeItem,
  SecretsItem,
  TestItem,
} from './items.ts';

/** Key, index and TTL attributes, for the code that writes them and the tables that declare them. */
export const OUTBOUND_TABLES: Readonly<Record<OutboundTable, { readonly project: readonly string[] }>> = {
  registry: { project: [] },
  outbox: { project: ['type'] },
};
export const LISTED = { name: 'listed', partition: 'gpk', sort: 'gsk' } as const;
/** Partitions of the index of endpoints whose wait ends. */
export const WAKE_SHARDS = 16;

const META = 'META';
/** 13 digits. */
const stamp = (at: EpochMs): string => String(at).padStart(13, '0');
const pad = (n: number, digits: number): string => String(n).padStart(digits, '0');
/** `20261122`. */
export const dayOf = (at: EpochMs): string => toIso(at).slice(0, 10).replaceAll('-', '');

const registry = <T>(pk: string, sk: string = META): TableKey<T> => ({ table: 'registry', pk, sk });
const outbox = <T>(pk: string, sk: string = META): TableKey<T> => ({ table: 'outbox', pk, sk });

type Between = Pick<KeyRange, 'from' | 'to'>;
const inRegistry = <T>(partition: string, between: Between = {}): KeyRange<T> => ({
  ...{ table: 'registry', partition },
  ...between,
});
const inOutbox = <T>(partition: string, between: Between = {}): KeyRange<T> => ({
  ...{ table: 'outbox', partition },
  ...between,
});
/** Whoever asks for one says which of its ends it takes in. */
export interface Span {
  readonly from: EpochMs;
  readonly to: EpochMs;
}
/** Both inclusive; without a span all. `before`: what is in front of the time. */
const within = (span: Span | undefined, before = ''): Between =>
  span === undefined ? {} : { from: `${before}${stamp(span.from)}`, to: `${before}${stamp(span.to)}~` };
const upTo = (until: EpochMs): Between => ({ to: `${stamp(until)}~` });

// ---- registry
export const applicationKey = (app: AppId): TableKey<ApplicationItem> => registry(`A#${app}`);
export const appNameKey = (uid: string): TableKey<NameItem> => registry(`U#${uid}`);
export const endpointNameKey = (app: AppId, uid: string): TableKey<NameItem> => registry(`U#${app}#${uid}`);
export const endpointKey = (app: AppId, ep: EndpointId): TableKey<EndpointItem> => registry(`A#${app}`, `E#${ep}`);
export const secretsKey = (ep: EndpointId): TableKey<SecretsItem> => registry(`S#${ep}`);
export const runtimeKey = (ep: EndpointId): TableKey<RuntimeItem> => registry(`R#${ep}`);
export const eventTypeKey = (environment: string, name: string): TableKey<EventTypeItem> =>
  registry(`T#${environment}`, `T#${name}`);
export const replayJobKey = (job: JobId): TableKey<ReplayJobItem> => registry(`J#${job}`);
export const contactsKey = (app: AppId): TableKey<ContactsItem> => registry(`K#${app}`);
export const controlKey = (name: string): TableKey<ControlItem> => registry(`C#${name}`);
/** The endpoints of an application, tombstones among them, by id; `from` inclusive. */
export const endpointsRange = (app: AppId, from = '', to = '\u007f'): KeyRange<EndpointItem> =>
  inRegistry(`A#${app}`, { from: `E#${from}`, to: `E#${to}` });
/** The name of the application whose messages go to all. */
export const BROADCAST = 'broadcast';
/** Applications of the last day, by their creation: the list of all is an index, which lags. */
export const newAppKey = (createdAt: EpochMs, app: AppId): TableKey<NewAppItem> =>
  registry('N#apps', `${stamp(createdAt)}#${app}`);
export const newAppsRange = (since: EpochMs): KeyRange<NewAppItem> =>
  inRegistry('N#apps', { from: stamp(Math.max(0, since)) });
export const APPS = 'apps';
/** Replay jobs that run or are paused: what tend looks at each minute. */
export const JOBS = 'jobs';
/** Those that are done or canceled. */
export const JOBS_OVER = 'jobs-over';
export const ERASURES = 'erasures';
type ListName = typeof APPS | typeof JOBS | typeof JOBS_OVER | typeof ERASURES;
/** All applications, replay jobs or erasures, by creation. */
export const listOf = (what: ListName): KeyRange => ({ ...inRegistry(what), index: 'listed' });
export const listedAt = (what: ListName, createdAt: EpochMs, id: string) => ({
  gpk: what,
  gsk: `${stamp(createdAt)}#${id}`,
});

const CONTACTS = 'contacts';
/** The index pair of contacts that must be looked at then. */
export const contactsListed = (app: AppId, at: EpochMs) => ({ gpk: CONTACTS, gsk: `${stamp(at)}#${app}` });
export const contactsDue = (until: EpochMs): KeyRange => ({ ...inRegistry(CONTACTS, upTo(until)), index: 'listed' });

// ---- outbox
export const messageKey = (msg: MessageId): TableKey<MessageItem> => outbox(`M#${msg}`);
/** Beside a message, the name of each copy made of it. */
export const copyNameKey = (of: MessageId, copy: MessageId): TableKey<CopyNameItem> => outbox(`M#${of}`, `C#${copy}`);
export const copiesRange = (of: MessageId): KeyRange<CopyNameItem> => inOutbox(`M#${of}`, { from: 'C#', to: 'C#~' });
/** The list of an application's messages, one partition an hour. */
export const messageListed = (app: AppId, createdAt: EpochMs, msg: MessageId) => ({
  gpk: `${app}#${toHour(createdAt)}`,
  gsk: `${stamp(createdAt)}#${msg}`,
});
export const messagesRange = (app: AppId, hour: string, created?: Span): KeyRange => ({
  ...inOutbox(`${app}#${hour}`, within(created)),
  index: 'listed',
});

/** What every key of a delivery follows from. */
export interface DeliveryId {
  readonly ep: EndpointId;
  readonly msg: MessageId;
  /** The message's own time. */
  readonly createdAt: EpochMs;
}
export const recordKey = ({ ep, msg, createdAt }: DeliveryId): TableKey<RecordItem> =>
  outbox(`D#${ep}#${dayOf(createdAt)}`, `${stamp(createdAt)}#${msg}`);
/** The deliveries of an endpoint whose messages were created on one day (`20261122`). */
export const recordsRange = (ep: EndpointId, day: string): KeyRange<RecordItem> => inOutbox(`D#${ep}#${day}`);
export const deadListed = (ep: EndpointId, endedAt: EpochMs, msg: MessageId) => ({
  gpk: `X#${ep}`,
  gsk: `${stamp(endedAt)}#${msg}`,
});
/** Deaths of an endpoint, the oldest first; of some times only, both inclusive. */
export const deadRange = (ep: EndpointId, ended?: Span): KeyRange => ({
  ...inOutbox(`X#${ep}`, within(ended)),
  index: 'listed',
});
/** Endpoint, message and its time of a record's key. */
export function deliveryOfRecord(key: { readonly pk: string; readonly sk: string }): DeliveryId {
  return {
    ep: key.pk.slice(2, key.pk.lastIndexOf('#')) as EndpointId,
    msg: key.sk.slice(14) as MessageId,
    createdAt: Number(key.sk.slice(0, 13)),
  };
}

/** What lies about a delivery besides its record: its attempts, and notes of its replays. */
const besides = (ep: EndpointId, msg: string): string => `T#${ep}#${msg}`;
export const besidesRange = (ep: EndpointId, msg: string): KeyRange => inOutbox(besides(ep, msg));
export const attemptKey = (ep: EndpointId, msg: string, gen: number, n: number, at: EpochMs): TableKey<AttemptItem> =>
  outbox(besides(ep, msg), `${pad(gen, 4)}#${pad(n, 3)}#${stamp(at)}`);
export const attemptsRange = (ep: EndpointId, msg: string): KeyRange<AttemptItem> =>
  inOutbox(besides(ep, msg), { from: '0', to: '9~' });
/** The tests of an endpoint lie where the attempts of a message would. */
const TESTS = 'tests';
export const testKey = (ep: EndpointId, at: EpochMs, id: string): TableKey<TestItem> =>
  outbox(besides(ep, TESTS), `${stamp(at)}#${id}`);
export const testsRange = (ep: EndpointId): KeyRange<TestItem> => inOutbox(besides(ep, TESTS));
/** The batches of an endpoint that were sent, and are neither delivered nor split. */
const batchesOf = (ep: EndpointId): string => `G#${ep}`;
export const batchKey = (ep: EndpointId, id: string): TableKey<BatchItem> => outbox(batchesOf(ep), id);
export const batchesRange = (ep: EndpointId): KeyRange<BatchItem> => inOutbox(batchesOf(ep));
/** Of one replay request. */
export const replayNoteKey = (
  { ep, msg }: Pick<DeliveryId, 'ep' | 'msg'>,
  replayId: string,
): TableKey<ReplayNoteItem> => outbox(besides(ep, msg), `R#${replayId}`);

export const queueOf = (ep: EndpointId): string => `Q#${ep}`;
/** A live row: the first attempt of a fresh message. */
export const liveRowKey = ({ ep, msg, createdAt }: DeliveryId): TableKey<RowItem> =>
  outbox(queueOf(ep), `A#${stamp(createdAt)}#${msg}`);
/** A row for later: a retry (`r`) or a replay (`p`). */
export const laterRowKey = (
  { ep, msg }: Pick<DeliveryId, 'ep' | 'msg'>,
  row: { readonly dueAt: EpochMs; readonly kind: 'r' | 'p'; readonly gen: number; readonly n: number },
): TableKey<RowItem> =>
  outbox(queueOf(ep), `B#${stamp(row.dueAt)}#${row.kind}#${msg}#${pad(row.gen, 4)}#${pad(row.n, 3)}`);
export const rowKey = (row: { readonly pk: string; readonly sk: string }): TableKey<RowItem> => outbox(row.pk, row.sk);
/** When a row is due: a live one always. */
export const dueAtOf = (row: { readonly sk: string }): EpochMs =>
  row.sk.startsWith('B#') ? Number(row.sk.slice(2, 15)) : 0;
export const rowKind = (row: { readonly sk: string }): 'live' | 'retry' | 'replay' =>
  row.sk.startsWith('A#') ? 'live' : row.sk.charAt(16) === 'r' ? 'retry' : 'replay';

/** Fresh rows, the oldest first; of some times only, both inclusive. */
export const liveRange = (ep: EndpointId, created?: Span): KeyRange<RowItem> =>
  inOutbox(queueOf(ep), { from: 'A', to: 'A~', ...within(created, 'A#') });
/** Retries and replays, by their due times. */
export const laterRange = (ep: EndpointId): KeyRange<RowItem> => inOutbox(queueOf(ep), { from: 'B', to: 'B~' });
/** Everything due now: live rows first, then retries and replays by their time. */
export const dueRange = (ep: EndpointId, now: EpochMs, only?: 'later'): KeyRange<RowItem> =>
  inOutbox(queueOf(ep), { from: only === 'later' ? 'B' : 'A', to: `B#${stamp(now + 1)}` });
/** All rows, the due ones first: one query says what is due now, and when the next one is. */
export const rowsRange = (ep: EndpointId): KeyRange<RowItem> => inOutbox(queueOf(ep));
/** What is due after now, the next first. */
export const aheadRange = (ep: EndpointId, now: EpochMs): KeyRange<RowItem> =>
  inOutbox(queueOf(ep), { from: `B#${stamp(now + 1)}`, to: 'B~' });

/** Every application that publishes writes one item an hour there: more than one partition takes. */
export const ROW_NOTE_SHARDS = 4;
const rowNotesOf = (hour: string, shard: number): string => `N#${hour}#${shard}`;
/** That rows of the application come in the hour. */
export const rowNoteKey = (app: AppId, at: EpochMs): TableKey<RowNoteItem> =>
  outbox(rowNotesOf(toHour(at), partOf(app, ROW_NOTE_SHARDS)), app);
/** The applications of an hour (`toHour`); a shard from 0. */
export const rowNotesRange = (hour: string, shard: number): KeyRange<RowNoteItem> => inOutbox(rowNotesOf(hour, shard));

/** Which of so many parts an id belongs to, from 0: always the same one. */
export function partOf(id: string, parts: number): number {
  let hash = 0;
  for (let at = 0; at < id.length; at++) hash = (hash * 31 + id.charCodeAt(at)) | 0;
  return (hash >>> 0) % parts;
}

// ---- wake index
const wakeShard = (shard: number): string => `wake#${shard}`;
/** The index pair of an endpoint that must be looked at then. */
export const wakeListed = (ep: EndpointId, at: EpochMs) => ({
  gpk: wakeShard(partOf(ep, WAKE_SHARDS)),
  gsk: `${stamp(at)}#${ep}`,
});
/** Until when an endpoint waits, or undefined. */
export const wakeAtOf = (runtime: { readonly gsk?: string }): EpochMs | undefined =>
  runtime.gsk === undefined ? undefined : Number(runtime.gsk.slice(0, 13));
export const wakeRange = (shard: number, until: EpochMs): KeyRange<{ readonly gsk: string }> => ({
  ...inRegistry(wakeShard(shard), upTo(until)),
  index: 'listed',
});
