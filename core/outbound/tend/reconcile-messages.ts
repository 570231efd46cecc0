/**
 * Repairs what the jobs queue lost: messages that matched an endpoint and left neither a row nor a record there are fanned
 * out again. Each pass looks at the messages since the one before, and again at the newest of those. A broadcast is compared
 * with every application: so a lost walk, and each lost part of one, is found from the level above it.
 */

import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { EndpointsOf } from '#core/outbound/fan-out/endpoints-of.ts';
import { matching } from '#core/outbound/fan-out/fan-out.ts';
import type { ItemStore, OutboundPorts } from '#core/outbound/ports.ts';
import type { AppId, MessageId } from '#core/outbound/protocol/ids.ts';
import type { ApplicationItem, MessageItem } from '#core/outbound/protocol/items.ts';
import {
  APPS,
  applicationKey,
  appNameKey,
  BROADCAST,
  listOf,
  liveRowKey,
  messageKey,
  messagesRange,
  recordKey,
  type Span,
} from '#core/outbound/protocol/keys.ts';
import type { BodyPorts } from '#core/outbound/publish/message-body.ts';
import { everyPage } from '#core/pages.ts';
import type { Telemetry } from '#core/ports.ts';
import { groupsOf } from '#core/side-by-side.ts';
import { HOUR_MS, MINUTE_MS, toHour } from '#core/time.ts';

export interface ReconcilePorts extends BodyPorts, Pick<OutboundPorts, 'store' | 'jobs' | 'clock'> {
  readonly endpoints: EndpointsOf;
  readonly telemetry: Pick<Telemetry, 'count'>;
}

/** Younger ones may be under way. */
const YOUNGEST_MS = 10 * MINUTE_MS;
/** Of the first pass, and of one after `tend` was away: nothing older is looked at. */
const OLDEST_MS = 26 * HOUR_MS;
const FIRST_MS = 130 * MINUTE_MS;
/** Looked at twice: the list of messages lags, and clocks differ. */
const OVERLAP_MS = 10 * MINUTE_MS;

/** What a pass that begins now looks at; `before`: the end of the last one. */
export function spanAt(now: EpochMs, before: EpochMs | undefined): Span {
  const from = before === undefined ? now - FIRST_MS : Math.max(before - OVERLAP_MS, now - OLDEST_MS);
  return { from, to: now - YOUNGEST_MS };
}

/** Where a pass goes on: a page of applications, one of them, and a page of its messages. */
export interface ReconcilePlace {
  readonly page?: string;
  readonly app?: AppId;
  readonly hour?: string;
  readonly messages?: string;
  /** The application's own messages were looked at; the next one of the broadcasts, from 0. */
  readonly broadcast?: number;
}
export interface ReconcilePass {
  /** By when its messages were created. */
  readonly span: Span;
  readonly place: ReconcilePlace | undefined;
  readonly until: EpochMs;
}

/**
 * A pass over all messages of its time, or the rest of one; no page of messages begins after `until`. Answers where it goes
 * on (undefined: at the end), and the oldest message that had to be fanned out again: the next pass must see it once more,
 * because its new job may be lost as the first one was.
 */
export async function reconcileMessages(
  ports: ReconcilePorts,
  pass: ReconcilePass,
): Promise<{ readonly place: ReconcilePlace | undefined; readonly lostSince: EpochMs | undefined }> {
  const { store, clock } = ports;
  const lost: EpochMs[] = [];
  const ended = (place: ReconcilePlace | undefined) => ({
    place,
    lostSince: lost.length === 0 ? undefined : Math.min(...lost),
  });
  const broadcasts = await broadcastsOf(store, pass.span);
  let from = pass.place;
  let cursor = from?.page;
  do {
    const listed = await store.query({ ...listOf(APPS), limit: 25, ...given({ cursor }) });
    const apps = listed.items.map(({ pk }) => pk.slice(2) as AppId);
    // The one that it stopped in may have gone meanwhile.
    const first = Math.max(0, from?.app === undefined ? 0 : apps.indexOf(from.app));
    for (const app of apps.slice(first)) {
      const within = from?.app === app ? from : {};
      const here = cursor === undefined ? { app } : { page: cursor, app };
      if (clock.now() >= pass.until) return ended({ ...within, ...here });
      const left = await reconcileApplication(ports, app, { ...pass, place: within, broadcasts }, lost);
      if (left) return ended({ ...left, ...here });
    }
    from = undefined;
    cursor = listed.cursor;
  } while (cursor !== undefined);
  return ended(undefined);
}

/** Messages that are compared side by side. */
const AT_ONCE = 20;

/** Where it stopped, if it did not come to the end; pushes when those were published that were lost. */
async function reconcileApplication(
  ports: ReconcilePorts,
  app: AppId,
  pass: ReconcilePass & { readonly broadcasts: readonly MessageItem[] },
  lost: EpochMs[],
): Promise<ReconcilePlace | undefined> {
  const { store, clock } = ports;
  const { span, until, place = {}, broadcasts } = pass;
  const application = await store.get(applicationKey(app), 'consistent');
  if (application === undefined || application.state === 'erasing') return undefined;
  const compare = (messages: readonly MessageItem[]) =>
    Promise.all(
      messages.map(async message => {
        if (await isLost(ports, application, message)) lost.push(message.createdAt);
      }),
    );
  // 1. Its own messages.
  const hours = place.broadcast === undefined ? [...hoursOf(span)] : [];
  for (const hour of hours.slice(Math.max(0, place.hour === undefined ? 0 : hours.indexOf(place.hour)))) {
    let cursor = hour === place.hour ? place.messages : undefined;
    do {
      if (clock.now() >= until) return cursor === undefined ? { hour } : { hour, messages: cursor };
      // Ten minutes old: a copy that lags has them as well.
      const page = await messagesPage(store, app, { hour, span, cursor, reading: 'eventual' });
      const meant = page.messages.filter(isMeant);
      for (const some of groupsOf(meant, AT_ONCE)) await compare(some);
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
  // 2. What was published to all.
  for (let at = place.broadcast ?? 0; at < broadcasts.length; at += AT_ONCE) {
    if (clock.now() >= until) return { broadcast: at };
    await compare(broadcasts.slice(at, at + AT_ONCE));
  }
  return undefined;
}

/** A page of the messages that an application published in an hour (of `hoursOf`), within the span. */
export async function messagesPage(
  store: ItemStore,
  app: AppId,
  of: {
    readonly hour: string;
    readonly span: Span;
    readonly cursor: string | undefined;
    readonly reading: 'eventual' | 'consistent';
  },
): Promise<{ readonly messages: readonly MessageItem[]; readonly cursor: string | undefined }> {
  const { hour, span, cursor, reading } = of;
  const page = await store.query({ ...messagesRange(app, hour, span), limit: 100, ...given({ cursor }) });
  const ids = page.items.map(({ pk }) => pk.slice(2) as MessageId);
  const messages = await store.getMany(ids.map(messageKey), reading);
  return { messages: messages.filter(message => message !== undefined), cursor: page.cursor };
}

/** The broadcasts of the pass, all of them: they are few, and each is for everybody. */
async function broadcastsOf(store: ItemStore, span: Span): Promise<readonly MessageItem[]> {
  const app = (await store.get(appNameKey(BROADCAST), 'consistent'))?.id as AppId | undefined;
  if (app === undefined) return [];
  const found: MessageItem[] = [];
  for (const hour of hoursOf(span)) {
    const pages = everyPage(cursor => messagesPage(store, app, { hour, span, cursor, reading: 'eventual' }));
    for await (const { messages } of pages) found.push(...messages.filter(isMeant));
  }
  return found;
}

/** One whose body was taken away is sent to nobody. */
const isMeant = ({ bodyRemovedAt }: MessageItem): boolean => bodyRemovedAt === undefined;

/** Names of the hours that a span touches, oldest first. */
export function hoursOf({ from, to }: Span): ReadonlySet<string> {
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
  // Who wants it since then was not missed: only those that wanted it when it was published.
  await jobs.send([{ v: 1, app, msg, again: true }], app);
  return true;
}
