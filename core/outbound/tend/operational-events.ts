/**
 * Operational events: published by the same engine into the application `uid:operations`, where it exists. The key names
 * kind, endpoint and hour, so each goes once an hour whoever tells it. Never about endpoints of `operations` itself.
 */
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import { operationalKey } from '#core/outbound/drain/tell.ts';
import type { Item, OperationalJob, Placed } from '#core/outbound/ports.ts';
import { type AppId, type EndpointId, messageIdOf } from '#core/outbound/protocol/ids.ts';
import type {
  ApplicationItem,
  EndpointItem,
  ReplayJobItem,
  RowItem,
  RuntimeItem,
} from '#core/outbound/protocol/items.ts';
import { applicationKey, appNameKey, endpointKey, messageKey } from '#core/outbound/protocol/keys.ts';
import { type PublishPorts, type PublishRules, publish } from '#core/outbound/publish/publish.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { type Backlog, levelOf } from './backlog.ts';

const OPERATIONS = 'operations';
/** A younger one is told again: its first job may have been lost. */
const TOLD_ONCE_MS = 5 * MINUTE_MS;

export interface TellRules extends PublishRules {
  /** Address of an endpoint's page in the platform's own application, with {app} and {endpoint}. */
  readonly pageUrl?: string | undefined;
}

/** The endpoint's page in the platform's own application. */
export const pageOf = (
  pageUrl: string | undefined,
  application: Pick<ApplicationItem, 'uid'> | undefined,
  { app, id, uid }: Pick<EndpointItem, 'app' | 'id' | 'uid'>,
): string | undefined =>
  pageUrl
    ?.replaceAll('{app}', encodeURIComponent(application?.uid ?? app))
    .replaceAll('{endpoint}', encodeURIComponent(uid ?? id));

/** Behind ? there may be a secret. */
export const withoutQuery = ({ url }: Pick<EndpointItem, 'url'>): string => url.replace(/[?#].*$/s, '');

/** What whoever hears it would look up: names and data of the producer's own, and no secret of the customer. */
async function factsOf(
  store: PublishPorts['store'],
  { pageUrl }: TellRules,
  { application: app, endpoint: ep }: Item,
): Promise<Item> {
  const [application, endpoint] = await Promise.all([
    store.get(applicationKey(app as AppId), 'eventual'),
    ep === undefined ? undefined : store.get(endpointKey(app as AppId, ep as EndpointId), 'eventual'),
  ]);
  return {
    ...given({ application_uid: application?.uid, application_metadata: application?.metadata }),
    ...(endpoint === undefined || endpoint.deletedAt !== undefined
      ? {}
      : {
          ...given({ endpoint_uid: endpoint.uid, link: pageOf(pageUrl, application, endpoint) }),
          ...(endpoint.url === '' ? {} : { url: withoutQuery(endpoint) }),
          endpoint_metadata: endpoint.metadata,
        }),
  };
}

/** Publishes one, or does nothing where nobody wants to know. */
export async function publishOperational(
  ports: PublishPorts,
  rules: TellRules,
  op: OperationalJob['op'],
): Promise<void> {
  const name = await ports.store.get(appNameKey(OPERATIONS), 'eventual');
  if (name === undefined || op.data['application'] === name.id) return;
  // Told again, minutes after the first time: another row of it would be due for as long as it is old, and look like a lost
  // wake-up. A job that runs again has its first time: it may have died before its message was fanned out.
  const app = name.id as AppId;
  if (op.at !== undefined) {
    const told = await ports.store.get(messageKey(messageIdOf(app, op.key, ports.crypto)), 'eventual');
    if (told !== undefined && op.at - told.createdAt > TOLD_ONCE_MS) return;
  }
  const json = new TextEncoder().encode(
    JSON.stringify({ ...op.data, ...(await factsOf(ports.store, rules, op.data)) }),
  );
  await publish(ports, rules, { app, key: op.key, type: op.type, content: { kind: 'data', json } });
}

/** How long after a fact it is still told. */
const TOLD_MS = 2 * HOUR_MS;
const WARNINGS = [
  { type: 'endpoint.failing', afterMs: 5 * MINUTE_MS },
  { type: 'endpoint.disable_warning', afterMs: 24 * HOUR_MS },
  { type: 'endpoint.disable_warning', afterMs: 72 * HOUR_MS },
] as const;

/** What an endpoint's runtime item says that somebody may want to know; a session's own word has the same key. */
export function eventsOf(runtime: RuntimeItem, now: EpochMs): readonly OperationalJob['op'][] {
  const { ep, app, gate, gateBy, gateWhy, gateSince, failingSince, rated } = runtime;
  const data = { endpoint: ep, application: app };
  const isFresh = (at: EpochMs): boolean => at <= now && now - at < TOLD_MS;
  const found: OperationalJob['op'][] = [];
  if (gate === 'disabled' && gateBy === 'system' && isFresh(gateSince)) {
    const type = 'endpoint.disabled';
    found.push({ type, key: operationalKey(type, ep, gateSince), data: { ...data, reason: gateWhy ?? '' } });
  }
  for (const { type, afterMs } of failingSince === undefined || gate !== 'open' ? [] : WARNINGS) {
    const at = (failingSince ?? 0) + afterMs;
    if (isFresh(at))
      found.push({ type, key: operationalKey(type, ep, at), data: { ...data, failing_since: failingSince } });
  }
  const over = rated?.overSince;
  if (over !== undefined && gate === 'open' && isFresh(over)) {
    const type = 'endpoint.disable_warning';
    found.push({ type, key: operationalKey(type, ep, over), data: { ...data, reason: 'failure_rate' } });
  }
  return found;
}

/**
 * A first attempt that has waited for an hour, or ten thousand that wait, or a million, whatever for: the endpoint is slow,
 * on hold, or gets more than it takes. Each of the three once an hour; the highest that holds is told.
 */
export function backlogOf(
  { ep, app }: RuntimeItem,
  first: Placed<RowItem>,
  counted: Backlog,
  now: EpochMs,
): OperationalJob['op'] | undefined {
  const level = levelOf(counted);
  if (level === undefined && now - first.createdAt < HOUR_MS) return undefined;
  const type = 'endpoint.backlog';
  const { waiting, exact } = counted;
  const data = { endpoint: ep, application: app, waiting_since: first.createdAt, waiting, exact };
  return { type, key: operationalKey(level === undefined ? type : `${type}.${level}`, ep, now), data };
}

/** That a job of many replays is done; once for each job. */
export function finishedJob({ id, app, counts, dryRun }: ReplayJobItem): OperationalJob['op'] {
  const type = 'replay.finished';
  return { type, key: `${type}:${id}`, data: { application: app, job: id, dry_run: dryRun, ...counts } };
}
