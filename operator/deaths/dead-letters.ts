/** Dead letters by source and cause, and the messages of the dead-letter queue itself. */
import { type EpochMs, type SourceId, splitEventPk } from '#core/glossary.ts';
import type { EventIn, EventItem } from '#core/inbound/protocol/event-item.ts';
import { CommonError, errorPattern } from '#core/inbound/search/error-pattern.ts';
import type { EventFilter } from '#core/inbound/search/event-filter.ts';
import { eachDead } from '#core/inbound/search/list-events.ts';
import type { Operator } from '#operator/operator.ts';
import { movableMessages } from './dead-messages.ts';

type DeadEvent = EventIn<'dead_letter'>;

interface DeadGroup {
  readonly source: SourceId;
  readonly eventType: string;
  readonly cause: string;
  readonly count: number;
  readonly firstAt: EpochMs;
  readonly lastAt: EpochMs;
  /** The one that died last. */
  readonly sample: DeadEvent;
}

export interface DeadLetters {
  /** The largest first. */
  readonly groups: readonly DeadGroup[];
  readonly total: number;
  /** Messages in the dead-letter queue, about: settled ones and those of others among them. */
  readonly inQueue: number;
}

/** Every event of the filter that is dead, or closed, found by the index of dead events. In no order. */
export async function* eachDeadEvent<S extends 'dead_letter' | 'closed'>(
  operator: Operator,
  status: S,
  filter: EventFilter,
): AsyncGenerator<EventIn<S>> {
  const isMeant = (item: EventItem): item is EventIn<S> => item.status === status;
  const { store } = await operator.gateway();
  for await (const items of eachDead(filter, status, store)) yield* items.filter(isMeant);
}

/** Dead letters by source, event type and cause. The largest group first. */
export async function groupDeadLetters(operator: Operator, filter: EventFilter): Promise<DeadLetters> {
  const groups = new Map<string, DeadGroup>();
  let total = 0;
  for await (const item of eachDeadEvent(operator, 'dead_letter', filter)) {
    total += 1;
    const source = splitEventPk(item.pk).sourceId;
    const { eventType, cause, deadAt: at } = item;
    const key = JSON.stringify([source, eventType, cause]);
    const before = groups.get(key) ?? { source, eventType, cause, count: 0, firstAt: at, lastAt: at, sample: item };
    groups.set(key, {
      ...before,
      count: before.count + 1,
      firstAt: Math.min(before.firstAt, at),
      ...(at >= before.lastAt ? { lastAt: at, sample: item } : {}),
    });
  }
  const { visible, hidden } = await (await operator.gateway()).gauge.dead();
  return { groups: [...groups.values()].sort((a, b) => b.count - a.count), total, inQueue: visible + hidden };
}

export interface ClosedGroup extends Omit<DeadGroup, 'firstAt' | 'sample'> {
  readonly by: string;
  readonly why: string;
  /** The one that was closed last. */
  readonly sample: EventIn<'closed'>;
}

/** Closed deaths by source, event type, cause, who and why. The last closed first. */
export async function groupClosed(operator: Operator, filter: EventFilter): Promise<readonly ClosedGroup[]> {
  const groups = new Map<string, ClosedGroup>();
  for await (const item of eachDeadEvent(operator, 'closed', filter)) {
    const { by, why, at } = item.closing;
    const { eventType, cause } = item;
    const source = splitEventPk(item.pk).sourceId;
    const key = JSON.stringify([source, eventType, cause, by, why]);
    const before = groups.get(key) ?? { source, eventType, cause, by, why, count: 0, lastAt: at, sample: item };
    const newest = at >= before.lastAt ? { lastAt: at, sample: item } : {};
    groups.set(key, { ...before, ...newest, count: before.count + 1 });
  }
  return [...groups.values()].sort((a, b) => b.lastAt - a.lastAt);
}

export interface ErrorGroup extends Omit<DeadGroup, 'eventType'> {
  /** The error with its numbers and ids replaced, so that the same failure of many events is one line. */
  readonly pattern: string;
  /** The same, with what all of them have in common. */
  readonly error: string;
  /** Deaths over time: from the first death of all groups until now. */
  readonly histogram: readonly number[];
}

const HISTOGRAM_BARS = 48;

/** Dead letters by source, cause and error. The largest group first. */
export async function groupDeadByError(
  operator: Operator,
  filter: EventFilter,
): Promise<Omit<DeadLetters, 'groups'> & { readonly groups: readonly ErrorGroup[] }> {
  const groups = new Map<
    string,
    { common: CommonError; pattern: string; times: EpochMs[]; sample: DeadEvent; sampleAt: EpochMs }
  >();
  for await (const item of eachDeadEvent(operator, 'dead_letter', filter)) {
    const { deadAt: at } = item;
    const pattern = errorPattern(item.lastError);
    const key = JSON.stringify([splitEventPk(item.pk).sourceId, item.cause, pattern]);
    const made = { common: new CommonError(pattern), pattern, times: [], sample: item, sampleAt: at };
    const group = groups.get(key) ?? made;
    if (group === made) groups.set(key, made);
    group.times.push(at);
    group.common.add(item.lastError);
    if (at >= group.sampleAt) Object.assign(group, { sample: item, sampleAt: at });
  }
  const { visible, hidden } = await (await operator.gateway()).gauge.dead();
  const all = [...groups.values()].flatMap(it => it.times);
  const [from, to] = [all.reduce((a, b) => Math.min(a, b), operator.clock.now()), operator.clock.now()];
  const view = [...groups.values()].map(({ common, pattern, times, sample }) => ({
    source: splitEventPk(sample.pk).sourceId,
    cause: sample.cause,
    pattern,
    error: common.text,
    count: times.length,
    firstAt: times.reduce((a, b) => Math.min(a, b)),
    lastAt: times.reduce((a, b) => Math.max(a, b)),
    sample,
    histogram: histogramOf(times, from, to),
  }));
  return { groups: view.sort((a, b) => b.count - a.count), total: all.length, inQueue: visible + hidden };
}

function histogramOf(times: readonly EpochMs[], from: EpochMs, to: EpochMs): readonly number[] {
  const bars = Array.from({ length: HISTOGRAM_BARS }, () => 0);
  for (const at of times) {
    const bar = Math.floor(((at - from) / Math.max(1, to - from)) * HISTOGRAM_BARS);
    bars[Math.max(0, Math.min(HISTOGRAM_BARS - 1, bar))]! += 1;
  }
  return bars;
}

export interface MoveRequest {
  readonly verb: 'redrive' | 'purge';
  readonly filter: Pick<EventFilter, 'sources' | 'cause' | 'error'>;
  /** Of `purge`: also messages of events that are still dead. */
  readonly open: boolean;
  /** Messages a second, of `redrive`. */
  readonly rate: number;
  readonly limit: number;
  readonly dryRun: boolean;
  readonly signal?: AbortSignal;
  readonly onMoved?: (moved: number) => void;
}

/** Moves messages of the dead-letter queue back, or deletes them; `kept` were looked at and left. `stopped`: before the last one. */
export async function moveDeadMessages(
  operator: Operator,
  request: MoveRequest,
): Promise<{ readonly done: number; readonly kept: number; readonly stopped?: 'limit' | 'interrupted' }> {
  const { verb, filter, open, rate, limit, dryRun } = request;
  const gateway = await operator.gateway();
  const counts = { done: 0, kept: 0 };
  for await (const message of movableMessages(gateway, verb, filter, open)) {
    if (!message.wanted) counts.kept += 1;
    else {
      if (!dryRun) {
        // Sent first: a crash in between leaves a second copy, which its record refuses.
        if (verb === 'redrive') await gateway.queue.send(message.body, { groupId: message.groupId });
        await gateway.dead.delete(message.receipt);
        if (verb === 'redrive') await gateway.timer.sleep(1_000 / rate);
      }
      counts.done += 1;
    }
    request.onMoved?.(counts.done);
    if (request.signal?.aborted) return { ...counts, stopped: 'interrupted' };
    if (counts.done >= limit) return { ...counts, stopped: 'limit' };
  }
  return counts;
}
