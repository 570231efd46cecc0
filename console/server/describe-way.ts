/** The way of one event as stretches on a time axis: received, queued, attempts and the waits between them. */
import { given } from '#core/given.ts';
import { splitEventPk, toEventId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { toIso } from '#core/time.ts';
import { causeWords } from '#core/words.ts';
import type { EventDetail, Step } from '../wire.ts';
import { rowOf } from './rows.ts';

interface Replay {
  readonly gen: number;
  readonly at: string;
  readonly by: string;
  readonly why: string;
}

/** `report` is the history as operator/events/show-event.ts gives it. */
export function describeEvent(item: EventItem, report: Readonly<Record<string, unknown>>, now: number): EventDetail {
  const replays = ((report['replays'] ?? []) as readonly Replay[]).map(it => ({ ...it, at: Date.parse(it.at) }));
  return {
    row: rowOf(item),
    way: wayOf(item, replays, now),
    facts: factsOf(item, now),
    ...given({ result: report['result'] }),
    replays,
    now,
  };
}

function wayOf(item: EventItem, replays: EventDetail['replays'], now: number): readonly Step[] {
  const marks: Step[] = [
    {
      kind: 'received',
      at: item.receivedAt,
      label: 'received',
      note: item.reconciled ? 'fetched from the provider' : 'signature verified',
    },
    ...replays.map(({ at, by, why }): Step => ({ kind: 'replayed', at, label: `replayed by ${by}`, note: why })),
    ...attemptsOf(item, now).map(step => ({ ...step, label: `${step.label}${afterReplay(step.at, replays)}` })),
  ];
  const ordered = marks.toSorted((a, b) => a.at - b.at);
  const way: Step[] = [];
  for (const [n, step] of ordered.entries()) {
    way.push(step);
    const next = ordered[n + 1];
    const end = step.at + (step.ms ?? 0);
    if (next === undefined || next.kind === 'replayed' || next.at <= end) continue;
    const first = step.kind === 'received' || step.kind === 'replayed';
    way.push({
      kind: first ? 'queued' : 'waited',
      at: end,
      ms: next.at - end,
      label: first ? 'in the queue' : 'waited',
    });
  }
  return [...way, ...endOf(item, now)];
}

/** Attempts count anew with each replay. */
function afterReplay(at: number, replays: EventDetail['replays']): string {
  const count = replays.filter(replay => replay.at <= at).length;
  return count === 0 ? '' : count === 1 ? ' after the replay' : ` after replay ${count}`;
}

function attemptsOf(item: EventItem, now: number): readonly Step[] {
  const noted = (item.recentAttempts ?? []).map(
    ({ n, at, ms, cause }): Step => ({
      kind: 'attempt',
      at,
      ms,
      label: `attempt ${n}`,
      note: causeWords(cause),
      outcome: cause === 'ok' ? 'ok' : 'failed',
    }),
  );
  const { startedAt, completedAt } = item;
  if (startedAt === undefined || noted.some(step => step.at === startedAt)) return noted;
  const label = `attempt ${item.attempts}`;
  if (item.status === 'processing')
    return [...noted, { kind: 'attempt', at: startedAt, ms: now - startedAt, label, outcome: 'running' }];
  if (completedAt === undefined) return noted;
  return [...noted, { kind: 'attempt', at: startedAt, ms: completedAt - startedAt, label, outcome: 'ok' }];
}

function endOf(item: EventItem, now: number): readonly Step[] {
  if (item.deadAt !== undefined)
    return [{ kind: 'ended', at: item.deadAt, label: 'dead letter', outcome: 'dead', ...noteOf(item.lastError) }];
  if (item.completedAt !== undefined)
    return [{ kind: 'ended', at: item.completedAt, label: item.status, outcome: 'ok', ...noteOf(item.actionTaken) }];
  if (item.nextAttemptAt !== undefined && item.nextAttemptAt > now)
    return [{ kind: 'next', at: item.nextAttemptAt, label: 'next attempt', ...noteOf(item.lastError) }];
  return [];
}

function noteOf(note: string | undefined): { note?: string } {
  return note === undefined ? {} : { note };
}

function factsOf(item: EventItem, now: number): readonly (readonly [string, string])[] {
  const { sourceId, eventKey } = splitEventPk(item.pk);
  const time = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : toIso(ms));
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['id', toEventId(item.pk)],
    ['provider id', eventKey],
    ['source', sourceId],
    ['provider', item.provider],
    ['type', item.eventType],
    ['received', time(item.receivedAt)],
    ['happened', time(item.eventAt)],
    ['completed', time(item.completedAt)],
    ['died', time(item.deadAt)],
    ['next attempt', (item.nextAttemptAt ?? 0) > now ? time(item.nextAttemptAt) : undefined],
    ['attempts', String(item.attempts)],
    ['replayed', item.gen > 1 ? `${item.gen - 1} ${item.gen === 2 ? 'time' : 'times'}` : undefined],
    ['cause', item.cause === undefined ? undefined : causeWords(item.cause)],
    ['last error', item.status === 'completed' ? undefined : item.lastError],
    ['action', item.actionTaken],
    ['size', `${item.size.toLocaleString('en')} bytes`],
    ['sha-256', item.bodySha],
  ];
  return facts.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value] as const]));
}
