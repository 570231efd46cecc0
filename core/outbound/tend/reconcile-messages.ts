/**
 * Repairs what the jobs queue lost: messages that matched an endpoint and left neither a row nor a record there are fanned
 * out again. Each pass looks at the messages since the one before, and again at the newest of those.
 */
import type { EpochMs } from '#core/glossary.ts';
import type { EndpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import { matching } from '#core/outbound/fan-out/fan-out.ts';
import type { ItemStore, JobQueue } from '#core/outbound/ports.ts';
import type { AppId, MessageId } from '#core/outbound/protocol/ids.ts';
import type { ApplicationItem, MessageItem } from '#core/outbound/protocol/items.ts';
import {
  APPS,
  applicationKey,
  listOf,
  liveRowKey,
  messageKey,
  messagesRange,
  recordKey,
} from '#core/outbound/protocol/keys.ts';
import type { BodyPorts } from '#core/outbound/publish/message-body.ts';
import type { Clock, Telemetry } from '#core/ports.ts';
import { toHour } from '#core/time.ts';

export interface ReconcilePorts extends BodyPorts {
  readonly store: ItemStore;
  readonly endpoints: EndpointsOf;
  readonly jobs: JobQueue;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'count'>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Younger ones may be under way. */
const YOUNGEST_MS = 10 * MINUTE_MS;
/** Of the first pass, and of one after `tend` was away: nothing older is looked at. */
const OLDEST_MS = 26 * HOUR_MS;
const FIRST_MS = 130 * MINUTE_MS;
/** Looked at twice: the list of messages lags, and clocks differ. */
const OVERLAP_MS = 10 * MINUTE_MS;

/** The messages of one pass, by when they were created. */
export interface ReconcileSpan {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** What a pass that begins now looks at; `before`: the end of the last one. */
export function spanAt(now: EpochMs, before: EpochMs | undefined): ReconcileSpan {
  const from = before === undefined ? now - FIRST_MS : Math.max(before - OVERLAP_MS, now - OLDEST_MS);
  return { from, to: now - YOUNGEST_MS };
}

/**
 * A pass over applications from `after` on. `share`: of the messages that are looked at, 0 to 1. Answers where it goes on
 * (undefined: at the end), and the oldest message that had to be fanned out again: the next pass must see it once more,
 * because its new job may be lost as the first one was.
 */
export async function reconcileMessages(
  ports: ReconcilePorts,
  from: {
    readonly span: ReconcileSpan;
    readonly after: string | undefined;
    readonly until: EpochMs;
    readonly share: number;
  },
): Promise<{ readonly after: string | undefined; readonly lostSince: EpochMs | undefined }> {
  const { store, clock } = ports;
  let { after } = from;
  const lost: EpochMs[] = [];
  do {
    const page = await store.query({ ...listOf(APPS), limit: 25, ...(after === undefined ? {} : { cursor: after }) });
    for (const { pk } of page.items) lost.push(...(await reconcileApplication(ports, pk.slice(2) as AppId, from)));
    after = page.cursor;
  } while (after !== undefined && clock.now() < from.until);
  return { after, lostSince: lost.length === 0 ? undefined : Math.min(...lost) };
}

async function reconcileApplication(
  ports: ReconcilePorts,
  app: AppId,
  { span, share }: { readonly span: ReconcileSpan; readonly share: number },
): Promise<readonly EpochMs[]> {
  const { store } = ports;
  const lost: EpochMs[] = [];
  const application = await store.get(applicationKey(app), 'consistent');
  if (application === undefined || application.state === 'erasing') return [];
  for (const hour of hoursOf(span)) {
    let cursor: string | undefined;
    do {
      const page = await store.query({
        ...messagesRange(app, hour, span),
        limit: 100,
        ...(cursor === undefined ? {} : { cursor }),
      });
      const ids = page.items.map(({ pk }) => pk.slice(2) as MessageId).filter(id => isChosen(id, share));
      // Ten minutes old: a copy that lags has them as well.
      const messages = (await store.getMany(ids.map(messageKey), 'eventual')) as readonly (MessageItem | undefined)[];
      for (const message of messages) {
        const inTime = message && message.createdAt >= span.from && message.createdAt <= span.to;
        if (!inTime || message.bodyRemovedAt !== undefined) continue;
        if (await isLost(ports, application, message)) lost.push(message.createdAt);
      }
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
  return lost;
}

function hoursOf({ from, to }: ReconcileSpan): ReadonlySet<string> {
  const hours = new Set<string>();
  for (let at = from; at < to; at += HOUR_MS) hours.add(toHour(at));
  return hours.add(toHour(to));
}

/** Neither row nor record at an endpoint that it matched: then it is fanned out again. */
async function isLost(ports: ReconcilePorts, application: ApplicationItem, message: MessageItem): Promise<boolean> {
  const { store, jobs, telemetry } = ports;
  const app = application.id;
  const known = await ports.endpoints(app, application);
  const older = known.filter(({ subscribedAt }) => subscribedAt <= message.createdAt);
  const wanting = await matching(ports, message, older);
  const { id: msg, createdAt } = message;
  const deliveries = wanting.map(({ id: ep }) => ({ ep, msg, createdAt }));
  // Nearly all have a record by now; only what seems to have none is asked of the table itself.
  const seen = await store.getMany(deliveries.map(recordKey), 'eventual');
  const doubtful = deliveries.filter((_, at) => seen[at] === undefined);
  // Row first, record second: between the two reads a row may only become a record.
  const rows = await store.getMany(doubtful.map(liveRowKey));
  const records = await store.getMany(doubtful.map(recordKey));
  const lost = doubtful.filter((_, at) => rows[at] === undefined && records[at] === undefined);
  if (lost.length === 0) return false;
  telemetry.count('FanOutLost', {}, lost.length);
  await jobs.send([{ v: 1, app, msg }], app);
  return true;
}

/** The same messages each time. */
function isChosen(id: MessageId, share: number): boolean {
  if (share >= 1) return true;
  let hash = 0;
  for (let at = 0; at < id.length; at++) hash = (hash * 31 + id.charCodeAt(at)) | 0;
  return (hash >>> 0) / 2 ** 32 < share;
}
