/** About how many records a look at many events will read: asked before it begins, for a few read units. */
import type { EpochMs, SourceId } from '#core/glossary.ts';
import type { EventFilter } from '#core/inbound/search/event-filter.ts';
import { readSweeper } from '#core/inbound/sweep/sweeper-record.ts';
import { HOUR_MS, toHour } from '#core/time.ts';
import { PRICES } from '#operator/cost/prices.ts';
import { type Operator, READS_UNSAID } from '#operator/operator.ts';

/** Of the latest events of a source, and of the sources that are asked: how often events come. */
const LATEST = 25;
const ASKED = 10;

export interface ExpectedReads {
  readonly events: number;
  /** Read units of DynamoDB. */
  readonly units: number;
  readonly dollars: number;
}

/** `each`: read units of one event. `most`: no more events are read. Undefined where it is little, or nobody can say. */
export async function muchToRead(
  operator: Operator,
  filter: EventFilter,
  { each = 1, most = Number.POSITIVE_INFINITY } = {},
): Promise<ExpectedReads | undefined> {
  if (most * each <= READS_UNSAID) return undefined;
  const events = Math.min((await expectedReads(operator, filter)) ?? 0, most);
  const units = events * each;
  if (units <= READS_UNSAID) return undefined;
  return { events, units, dollars: (units / 1e6) * PRICES.dynamoReadMillion.dollars };
}

/** The most events that a list of `limit` reads: of a narrow filter all may have to be looked at. */
export function mostOf({ statuses, type, cause, error }: EventFilter, limit: number): { readonly most?: number } {
  return [statuses, type, cause, error].some(it => it !== undefined) ? {} : { most: limit };
}

/** Undefined: nobody can say, and the look itself will tell why. */
async function expectedReads(operator: Operator, filter: EventFilter): Promise<number | undefined> {
  const onlyDead = filter.statuses?.every(status => status === 'dead_letter') ?? false;
  return (onlyDead ? deathsSince(operator, filter) : inWindow(operator, filter)).catch(() => undefined);
}

/** Every death since then is read. Older ones than the newest are reckoned as if they came as those; never more than were counted. */
async function deathsSince(operator: Operator, { sources, since }: EventFilter): Promise<number | undefined> {
  const { store, control } = await operator.gateway();
  const now = operator.clock.now();
  const asked = sources.slice(0, ASKED);
  const each = await Promise.all(
    asked.map(async source => {
      const { items, cursor } = await store.attention(source);
      const times = items.map(({ attentionAt }) => Number(attentionAt.split('#')[0])).filter(at => at >= since);
      const oldest = times.at(-1);
      const isAll = cursor === undefined || times.length < items.length || oldest === undefined;
      return { isAll, deaths: isAll ? times.length : times.length * ((now - since) / Math.max(now - oldest, 1)) };
    }),
  );
  const sum = each.reduce((all, { deaths }) => all + deaths, 0) * (sources.length / Math.max(asked.length, 1));
  if (asked.length === sources.length && each.every(({ isAll }) => isAll)) return sum;
  const counted = (await readSweeper(control)).deaths?.open;
  return counted === undefined ? undefined : Math.round(Math.min(sum, counted));
}

/** As if events came all the time as they came last. */
async function inWindow(operator: Operator, { sources, since, until }: EventFilter): Promise<number> {
  const { store } = await operator.gateway();
  const asked = sources.slice(0, ASKED);
  const perMs = async (source: SourceId): Promise<number> => {
    const latest = async (at: EpochMs, limit: number) =>
      limit <= 0 ? [] : (await store.timeline(`${source}#${toHour(at)}`, { newestFirst: true, limit })).items;
    const now = await latest(until, LATEST);
    const items = [...now, ...(await latest(until - HOUR_MS, LATEST - now.length))];
    const oldest = items.length < LATEST ? undefined : items.at(-1);
    const from = oldest === undefined ? until - (until % HOUR_MS) - HOUR_MS : Number(oldest.timelineAt.slice(0, 13));
    return items.length / Math.max(until - from, 1);
  };
  const rates = await Promise.all(asked.map(perMs));
  const sum = rates.reduce((all, rate) => all + rate, 0);
  return Math.round(sum * (sources.length / Math.max(asked.length, 1)) * (until - since));
}
