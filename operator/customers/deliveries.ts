/** Webhooks to customers, as a person looks at them and acts on them: through the delivery API, nothing beside it. */
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { ApplicationView } from '#core/outbound/api/applications-api.ts';
import type { MessageView } from '#core/outbound/api/deliveries/messages-api.ts';
import type { ReplayJobView } from '#core/outbound/api/deliveries/replay-api.ts';
import type { TestAnswer } from '#core/outbound/api/test-delivery.ts';
import type { STATES } from '#core/outbound/protocol/endpoint-state.ts';
import { MINUTE_MS, SECOND_MS, toIso } from '#core/time.ts';
import { type DayCounts, isWellState, type EndpointState as StateOf } from '#core/words.ts';
import { askDelivery, type DeliveryCall } from '#operator/delivery-api.ts';
import type { Gateway } from '#operator/gateway.ts';
import { type Operator, READS_UNSAID } from '#operator/operator.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { ago } from '#operator/span.ts';
import type { Attempt, Delivery as DeliveryOf, Health } from '../../ui/delivery.ts';

type State = (typeof STATES)[number];

/** All endpoints: as they are now where they are few, else as the last endpoint check found them. `as_of` null: none came yet. */
export interface DeliverySummary {
  readonly as_of: string | null;
  /** The last endpoint check, which counts what died and what waits. Null: none came yet. */
  readonly audited_at: string | null;
  readonly endpoints: number;
  /** Open, and not well. Null: counted by an endpoint check of an older version, which does not know. */
  readonly failing: number | null;
  readonly on_hold: number;
  readonly paused: number;
  readonly disabled: number;
  /** Now; of each endpoint at most a thousand are counted. */
  readonly dead: number;
  /** Ever. */
  readonly died: number;
  /** First attempts at endpoints that could be asked. */
  readonly waiting: number;
  readonly oldest_waiting_at: string | null;
  /** Null while our own way out seems to work. */
  readonly egress_guard: { readonly silent: number; readonly counted: number; readonly seen_at: string } | null;
}

export interface Endpoint extends StateOf {
  readonly id: string;
  readonly uid: string | null;
  readonly application: string;
  /** Null: its owner reads. */
  readonly url: string | null;
  readonly types: readonly string[];
  readonly state: State;
}

export type EndpointHealth = Health & Pick<Endpoint, 'gate' | 'state'>;
export type { Attempt as DeliveryAttempt };
export type Delivery = DeliveryOf & { readonly generation: number };

interface Page<T> {
  readonly data: readonly T[];
  readonly cursor: string | null;
}

/** A person reads no more; a job of thousands is a replay job. */
const MOST = 1_000;

/** Who asks the delivery API: an operator, or a customer's own tool over the portal. */
export interface Caller {
  /** Stands before each reason. */
  readonly by: string;
  gateway(): Promise<Pick<Gateway, 'delivery'>>;
}

/** Throws OperatorError for a refusal. */
export async function ask<T>(operator: Caller, call: DeliveryCall): Promise<T> {
  const { delivery } = await operator.gateway();
  return askDelivery<T>(await delivery(), call);
}

/** What people hear while the guard of our own way out is on. */
export const guardText = ({ silent }: NonNullable<DeliverySummary['egress_guard']>): string =>
  `${silent} endpoints stopped answering at once: most likely our own way out fails, and their failures do not count`;

type Summary = Omit<DeliverySummary, 'audited_at'>;

const readSummary = (operator: Operator): Promise<Summary> => ask(operator, { method: 'GET', path: ['summary'] });

/** For what is shown beside all else, again and again: where they are much to read, the last endpoint check counted them. */
export async function readDeliverySummary(operator: Operator): Promise<DeliverySummary> {
  const summary = await readSummary(operator);
  const audited = { ...summary, failing: summary.failing ?? null, audited_at: summary.as_of };
  const live = await readFew(operator, summary.endpoints);
  if (live === undefined) return audited;
  const count = (state: State): number => live.unwell.filter(each => each.state === state).length;
  return {
    ...audited,
    ...{ as_of: toIso(live.at), endpoints: live.endpoints, failing: count('failing'), on_hold: count('holding') },
    ...{ paused: count('paused'), disabled: count('disabled') },
  };
}

/** ` (counted 5 min ago)` where the endpoints were not read for this look. */
export function countedText({ as_of }: Pick<DeliverySummary, 'as_of'>, now: EpochMs): string {
  const at = as_of === null ? now : Date.parse(as_of);
  return now - at > MINUTE_MS ? ` (counted ${ago(at, now)})` : '';
}

/** The pages of a list until `limit` are there. */
async function list<T>(
  operator: Caller,
  path: readonly string[],
  { limit = MOST, query = {} }: { limit?: number; query?: Readonly<Record<string, string | undefined>> } = {},
): Promise<readonly T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  do {
    const size = String(Math.min(250, limit - found.length));
    const page: Page<T> = await ask(operator, { method: 'GET', path, query: { ...query, limit: size, cursor } });
    found.push(...page.data);
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined && found.length < limit);
  return found;
}

/** `app` and `ep` are ids or `uid:<uid>`, as the API takes them. */
const endpointPath = (app: string, ep: string): readonly string[] => ['apps', app, 'endpoints', ep];

export function listApplications(operator: Caller, limit = MOST): Promise<readonly ApplicationView[]> {
  return list(operator, ['apps'], { limit });
}

export function applicationOf(operator: Caller, app: string): Promise<ApplicationView> {
  return ask(operator, { method: 'GET', path: ['apps', app] });
}

export function endpointOf(operator: Caller, app: string, ep: string): Promise<Endpoint> {
  return ask(operator, { method: 'GET', path: endpointPath(app, ep) });
}

export function listEndpoints(operator: Caller, app: string): Promise<readonly Endpoint[]> {
  return list(operator, ['apps', app, 'endpoints']);
}

export function healthOf(operator: Caller, app: string, ep: string): Promise<EndpointHealth> {
  return ask(operator, { method: 'GET', path: [...endpointPath(app, ep), 'health'] });
}

interface Stats {
  readonly each: readonly (DayCounts & { readonly endpoint: string })[];
}

/** The last day of each endpoint of an application (of its first 250), by the endpoint's id. */
export async function daysOf(operator: Caller, app: string): Promise<ReadonlyMap<string, DayCounts>> {
  const { each: all } = await ask<Stats>(operator, { method: 'GET', path: ['stats'], query: { app } });
  return new Map(all.map(({ endpoint, successes, failures }) => [endpoint, { successes, failures }]));
}

export interface DeliveryFilter {
  readonly status?: string | undefined;
  readonly type?: string | undefined;
  readonly class?: string | undefined;
  /** ISO 8601. */
  readonly since?: string | undefined;
  readonly limit?: number;
}

/** Of an endpoint or, without one, of all of an application; newest first. */
export function listDeliveries(
  operator: Caller,
  { app, ep }: { readonly app: string; readonly ep?: string | undefined },
  { limit = 50, ...filter }: DeliveryFilter = {},
): Promise<readonly Delivery[]> {
  const path = ep === undefined ? ['apps', app] : endpointPath(app, ep);
  return list(operator, [...path, 'deliveries'], { limit, query: { ...filter } });
}

/** Of a message, at each endpoint that it was for. */
export function deliveriesOf(operator: Caller, app: string, message: string): Promise<readonly Delivery[]> {
  return list(operator, ['apps', app, 'messages', message, 'deliveries']);
}

/** Where one delivery is. */
export interface DeliveryPlace {
  readonly app: string;
  readonly ep: string;
  readonly message: string;
}

/** Every attempt that was kept: the failed ones. */
export function listAttempts(operator: Caller, { app, ep, message }: DeliveryPlace): Promise<readonly Attempt[]> {
  return list(operator, [...endpointPath(app, ep), 'deliveries', message, 'attempts']);
}

/** Who says it stands in front; the API takes 500 characters. */
const whyOf = ({ by }: Caller, why: string): string => `${by}: ${why}`.slice(0, 500);

/** Sends a delivery again, one that waits for its retry too. `requestId`: the same one is the same wish. */
export async function retryDelivery(
  operator: Caller,
  { app, ep, message }: DeliveryPlace,
  { why, requestId }: { readonly why: string; readonly requestId: string },
): Promise<void> {
  const path = [...endpointPath(app, ep), 'deliveries', message, 'replay'];
  await ask(operator, {
    method: 'POST',
    path,
    body: { request_id: requestId, now: true, why: whyOf(operator, why) },
  });
}

/** A job that sends again what is dead at an endpoint, or at all endpoints of an application; `dryRun` counts only. */
export function retryMany(
  operator: Caller,
  filter: { readonly app: string; readonly ep: string | undefined; readonly since: string | undefined },
  { why, dryRun }: { readonly why: string; readonly dryRun: boolean },
): Promise<ReplayJobView> {
  const { app, ep, since } = filter;
  const body = { app, status: 'dead', dry_run: dryRun, why: whyOf(operator, why) };
  const more = given({ endpoint: ep, since });
  return ask(operator, { method: 'POST', path: ['replay-jobs'], body: { ...body, ...more } });
}

export function jobOf(operator: Caller, job: string): Promise<ReplayJobView> {
  return ask(operator, { method: 'GET', path: ['replay-jobs', job] });
}

export type GateAct = 'pause' | 'resume' | 'disable' | 'enable' | 'trial';

/** Closes or opens an endpoint; `trial` sends one request now, whatever the hold says. Answers how it is then. */
export function setGate(
  operator: Caller,
  { app, ep }: { readonly app: string; readonly ep: string },
  act: GateAct,
  { why, ...rest }: { readonly why?: string; readonly backlog?: string; readonly since?: string } = {},
): Promise<Pick<Endpoint, 'id' | 'gate' | 'state'>> {
  const body = { ...rest, ...(why === undefined ? {} : { why: whyOf(operator, why) }) };
  kept.delete(operator);
  return ask(operator, { method: 'POST', path: [...endpointPath(app, ep), act], body });
}

/** Of an application, newest first. */
export function listMessages(
  operator: Caller,
  app: string,
  { limit = 50, ...filter }: Pick<DeliveryFilter, 'type' | 'since' | 'limit'> = {},
): Promise<readonly MessageView[]> {
  return list(operator, ['apps', app, 'messages'], { limit, query: { ...filter } });
}

/** The bytes that each endpoint is sent. Throws OperatorError when they are gone. */
export async function messageBody(operator: Caller, app: string, message: string): Promise<Buffer> {
  const path = ['apps', app, 'messages', message, 'body'];
  const { base64 } = await ask<{ base64: string }>(operator, { method: 'GET', path });
  return Buffer.from(base64, 'base64');
}

/** One signed request now, outside of every queue and record. Ten a minute and application. */
export function testEndpoint(
  operator: Caller,
  { app, ep }: { readonly app: string; readonly ep: string },
  type?: string,
): Promise<TestAnswer> {
  const body = type === undefined ? {} : { type };
  return ask(operator, { method: 'POST', path: [...endpointPath(app, ep), 'test'], body });
}

/** What waits for an endpoint, and what is dead. */
export type EndpointCounts = Pick<Health, 'waiting' | 'dead' | 'dead_more'>;

/** Each costs a call. */
const COUNTED_ENDPOINTS = 20;

/** With what waits for each of the first 20 and what is dead, in their order; one that was deleted meanwhile has no counts. */
export async function withCounts<E extends Pick<Endpoint, 'application' | 'id'>>(
  operator: Caller,
  endpoints: readonly E[],
): Promise<readonly (E & Partial<EndpointCounts>)[]> {
  const counted = endpoints.slice(0, COUNTED_ENDPOINTS).map(async each => {
    const health = await healthOf(operator, each.application, each.id).catch((error: unknown) => {
      if (error instanceof OperatorError && error.kind === 'not_found') return undefined;
      throw error;
    });
    if (health === undefined) return each;
    const { waiting, dead, dead_more } = health;
    return { ...each, waiting, dead, dead_more };
  });
  return [...(await Promise.all(counted)), ...endpoints.slice(COUNTED_ENDPOINTS)];
}

/** The one for which the most died or waits first. Of more than 20 those are counted that failed most often in a row. */
export async function worstFirst<E extends Endpoint>(
  operator: Caller,
  unwell: readonly E[],
): Promise<readonly (E & Partial<EndpointCounts>)[]> {
  const weightOf = ({ waiting, dead = 0 }: Partial<EndpointCounts>): number =>
    dead + (waiting?.about ?? waiting?.count ?? 0);
  const all = await withCounts(
    operator,
    unwell.toSorted((a, b) => b.failed_in_a_row - a.failed_in_a_row),
  );
  return all.toSorted((a, b) => weightOf(b) - weightOf(a));
}

export interface OutboundOverview {
  readonly at: EpochMs;
  readonly applications: readonly ApplicationView[];
  readonly endpoints: number;
  /** Endpoints that do not get their webhooks now, whoever closed them. */
  readonly unwell: readonly (Endpoint & { readonly applicationName: string })[];
}

/** Parallel calls: an application's list is one call for 250 endpoints. */
const AT_ONCE = 8;
/** A page that is open asks each few seconds. */
const KEPT_MS = 10 * SECOND_MS;
/** Of an application its record and a page of its endpoints, and of each endpoint how it is. */
const READS_OF_AN_APPLICATION = 4;
/** Whoever has more applications has much to read. */
const SURVEYED = 10;
/** Read units of all endpoints that a screen reads beside all else, again and again. */
const READS_OF_FEW = 20;

/** About how many read units a look at all endpoints of these takes. */
const readsOf = (applications: readonly Pick<ApplicationView, 'endpoints'>[]): number =>
  applications.reduce((sum, { endpoints }) => sum + READS_OF_AN_APPLICATION + endpoints, 0);

export interface ExpectedEndpointReads {
  readonly endpoints: number;
  readonly units: number;
  /** There are more applications, and nobody has counted them: these are the reads of so many. */
  readonly ofFirst?: number;
}

/** What a look at every endpoint reads. Undefined where it is little. */
export async function muchOutbound(operator: Operator): Promise<ExpectedEndpointReads | undefined> {
  const some = await listApplications(operator, SURVEYED);
  const units = readsOf(some);
  const endpoints = some.reduce((sum, each) => sum + each.endpoints, 0);
  if (some.length < SURVEYED) return units <= READS_UNSAID ? undefined : { endpoints, units };
  const { endpoints: counted } = await readSummary(operator);
  if (counted <= endpoints || endpoints === 0) return { endpoints, units, ofFirst: SURVEYED };
  // As if the others had as many each.
  return { endpoints: counted, units: Math.round(units * (counted / endpoints)) };
}

const kept = new WeakMap<Caller, OutboundOverview>();

function keptBy(operator: Operator): OutboundOverview | undefined {
  const seen = kept.get(operator);
  return seen !== undefined && operator.clock.now() - seen.at < KEPT_MS ? seen : undefined;
}

/** Every endpoint of every application, looked at within ten seconds. */
export async function readOutbound(operator: Operator): Promise<OutboundOverview> {
  return keptBy(operator) ?? walk(operator, await listApplications(operator));
}

/** Undefined: they are not few. `counted`: by the last endpoint check. */
async function readFew(operator: Operator, counted: number): Promise<OutboundOverview | undefined> {
  const seen = keptBy(operator);
  if (seen !== undefined) return seen;
  if (counted > READS_OF_FEW) return undefined;
  const most = READS_OF_FEW / READS_OF_AN_APPLICATION;
  const applications = await listApplications(operator, most + 1);
  if (applications.length > most || readsOf(applications) > READS_OF_FEW) return undefined;
  return walk(operator, applications);
}

async function walk(operator: Operator, applications: readonly ApplicationView[]): Promise<OutboundOverview> {
  const at = operator.clock.now();
  const found: OutboundOverview['unwell'][number][] = [];
  let endpoints = 0;
  for (let first = 0; first < applications.length; first += AT_ONCE) {
    const some = applications.slice(first, first + AT_ONCE);
    const lists = await Promise.all(some.map(({ id }) => listEndpoints(operator, id)));
    for (const [place, all] of lists.entries()) {
      endpoints += all.length;
      const { uid, id } = some[place] ?? { uid: null, id: '' };
      const name = uid === null ? id : `uid:${uid}`;
      const unwell = all.filter(({ state }) => !isWellState(state));
      found.push(...unwell.map(each => ({ ...each, applicationName: name })));
    }
  }
  const seen = { at, applications, endpoints, unwell: found };
  kept.set(operator, seen);
  return seen;
}
