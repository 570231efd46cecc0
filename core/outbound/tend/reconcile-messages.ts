/**
 * Repairs what the jobs queue lost: messages of the last two hours that matched an endpoint and left neither a row nor a
 * record there are fanned out again.
 */
import type { EpochMs } from '#core/glossary.ts';
import type { EndpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import { matching } from '#core/outbound/fan-out/fan-out.ts';
import type { ItemStore, JobQueue, TableKey } from '#core/outbound/ports.ts';
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
const OLDEST_MS = 130 * MINUTE_MS;

/**
 * A pass over applications from `after` on; answers where the next one goes on, or undefined at the end. `share`: of the
 * messages that are looked at, 0 to 1.
 */
export async function reconcileMessages(
  ports: ReconcilePorts,
  from: { readonly after: string | undefined; readonly until: EpochMs; readonly share: number },
): Promise<string | undefined> {
  const { store, clock } = ports;
  let { after } = from;
  do {
    const page = await store.query({ ...listOf(APPS), limit: 25, ...(after === undefined ? {} : { cursor: after }) });
    for (const { pk } of page.items) await reconcileApplication(ports, pk.slice(2) as AppId, from.share);
    after = page.cursor;
  } while (after !== undefined && clock.now() < from.until);
  return after;
}

async function reconcileApplication(ports: ReconcilePorts, app: AppId, share: number): Promise<void> {
  const { store, clock } = ports;
  const now = clock.now();
  const [oldest, youngest] = [now - OLDEST_MS, now - YOUNGEST_MS];
  const application = await store.get(applicationKey(app), 'consistent');
  if (application === undefined || application.state === 'erasing') return;
  const hours = new Set([oldest, oldest + HOUR_MS, oldest + 2 * HOUR_MS, youngest].map(toHour));
  for (const hour of hours) {
    let cursor: string | undefined;
    do {
      const page = await store.query({
        ...messagesRange(app, hour, { from: oldest, to: youngest }),
        limit: 100,
        ...(cursor === undefined ? {} : { cursor }),
      });
      const ids = page.items.map(({ pk }) => pk.slice(2) as MessageId).filter(id => isChosen(id, share));
      const messages = (await store.getMany(ids.map(messageKey))) as readonly (MessageItem | undefined)[];
      for (const message of messages) {
        const inTime = message && message.createdAt >= oldest && message.createdAt <= youngest;
        if (inTime && message.bodyRemovedAt === undefined) await reconcileMessage(ports, application, message);
      }
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
}

async function reconcileMessage(
  ports: ReconcilePorts,
  application: ApplicationItem,
  message: MessageItem,
): Promise<void> {
  const { store, jobs, telemetry } = ports;
  const app = application.id;
  const known = await ports.endpoints(app, application);
  const older = known.filter(({ subscribedAt }) => subscribedAt <= message.createdAt);
  const wanting = await matching(ports, message, older);
  const { id: msg, createdAt } = message;
  const keys: TableKey[] = wanting.flatMap(({ id: ep }) => {
    const delivery = { ep, msg, createdAt };
    return [liveRowKey(delivery), recordKey(delivery)];
  });
  // Row first, record second: between the two reads a row may only become a record.
  const found = await store.getMany(keys);
  const lost = wanting.filter((_, at) => found[2 * at] === undefined && found[2 * at + 1] === undefined);
  if (lost.length === 0) return;
  telemetry.count('FanOutLost', {}, lost.length);
  await jobs.send([{ v: 1, app, msg }], app);
}

/** The same messages each time. */
function isChosen(id: MessageId, share: number): boolean {
  if (share >= 1) return true;
  let hash = 0;
  for (let at = 0; at < id.length; at++) hash = (hash * 31 + id.charCodeAt(at)) | 0;
  return (hash >>> 0) / 2 ** 32 < share;
}
