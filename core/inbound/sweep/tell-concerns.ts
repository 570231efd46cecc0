/**
 * Tells people what they should hear of once for each source (core/inbound/protocol/concerns.ts), one after another: an alarm
 * that is in ALARM already tells nobody of the next source.
 */
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import { toEventId } from '#core/glossary.ts';
import type { ControlStore, EventStore } from '#core/inbound/ports.ts';
import {
  CONCERNS_CONTROL,
  type Concern,
  type ConcernKind,
  type Concerns,
  decodeConcerns,
  isKept,
  nameOfConcern,
} from '#core/inbound/protocol/concerns.ts';
import type { Timings } from '#core/inbound/protocol/timings.ts';
import type { MetricName } from '#core/metrics.ts';
import type { Clock, Telemetry } from '#core/ports.ts';
import { MINUTE_MS } from '#core/time.ts';
import { isWorthTelling } from './judge-handlers.ts';
import { readOnlyFails } from './read-failing.ts';

/** Between two concerns of one kind: an alarm of one minute is OK again by then. */
const SPACING_MS = 3 * MINUTE_MS;
/** Handlers that one run may look at: each costs a read for each hour of four days. The others wait for the next run. */
export const HANDLERS = 20;
/** Of them, those that are told next: what is told was looked at in the same run. */
const TOLD_NEXT = 5;
/** Handlers that are kept in mind: with the longest names they fit in one item. */
const KEPT = 200;

const METRIC_OF: Readonly<Record<ConcernKind, MetricName>> = {
  conflict: 'NewConflict',
  too_old: 'NewTooOld',
  handler_fails: 'NewFailingHandler',
};

export interface Handler {
  readonly source: string;
  readonly eventType: string;
  /** One event at which it failed. */
  readonly eventId: string;
}

interface Ports {
  readonly store: Pick<EventStore, 'timeline' | 'getMany'>;
  readonly control: Pick<ControlStore, 'read' | 'write'>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/**
 * One run: 1. judge the handlers that failed lately, and in turn those that only failed before; 2. forget what was quiet for a week;
 * 3. tell the oldest concern of each kind that nobody was told; 4. keep. `failing`: handlers of arrivals that failed.
 * `looks`: how many handlers may be judged. The others are kept as they are, at the front.
 */
export async function tellConcerns(
  failing: readonly Handler[],
  ports: Ports,
  timings: Timings,
  looks = HANDLERS,
): Promise<void> {
  const { control, clock, telemetry } = ports;
  const stored = await control.read(CONCERNS_CONTROL);
  const before = decodeConcerns(stored?.value);
  if (stored === undefined && failing.length === 0) return;
  const now = clock.now();
  const { concerns, judged } = await judgeHandlers(failing, before, looks, ports, timings);
  const kept = Object.fromEntries(Object.entries(concerns).filter(([, concern]) => isKept(concern, now)));
  const told = Object.keys(METRIC_OF).flatMap(kind => nextOf(kind as ConcernKind, kept, judged, now, timings) ?? []);
  for (const concern of told) {
    telemetry.count(METRIC_OF[concern.kind]);
    const { kind, source, eventType, eventId, bodySha } = concern;
    telemetry.log('warn', {
      stage: 'concern',
      cause: kind,
      source,
      event_id: eventId,
      ...given({ event_type: eventType, body_sha: bodySha }),
    });
  }
  const after = { ...kept, ...Object.fromEntries(told.map(it => [nameOfConcern(it), { ...it, toldAt: now }])) };
  const value = JSON.stringify(after);
  if (value === JSON.stringify(before) || (await control.write(CONCERNS_CONTROL, value, stored?.version ?? 0))) return;
  await writeBeside(after, control);
}

/**
 * Somebody noted a conflict at the same time, and only the sweeper notes handlers. Refused again: what was told is told again,
 * which is better than never.
 */
async function writeBeside(after: Concerns, control: Ports['control']): Promise<void> {
  const stored = await control.read(CONCERNS_CONTROL);
  const noted = Object.entries(decodeConcerns(stored?.value)).filter(([, { kind }]) => kind !== 'handler_fails');
  const both = noted.map(([name, it]) => [name, { ...it, ...given({ toldAt: after[name]?.toldAt }) }]);
  const value = JSON.stringify({ ...after, ...Object.fromEntries(both) });
  await control.write(CONCERNS_CONTROL, value, stored?.version ?? 0);
}

/** `judged`: the names of those that were looked at, and only fail. */
async function judgeHandlers(
  failing: readonly Handler[],
  before: Concerns,
  looks: number,
  ports: Ports,
  timings: Timings,
): Promise<{ readonly concerns: Concerns; readonly judged: ReadonlySet<string> }> {
  const { store, clock } = ports;
  const known = withNew(failing, before, ports);
  const names = dueOf(failing, known, clock.now(), timings).slice(0, looks);
  const judged = new Map<string, Concern>();
  for (const name of names) {
    const { source, eventType = '', toldAt } = known[name] as Concern;
    const only = await readOnlyFails(source, eventType, { store, now: clock.now() });
    if (only === undefined) continue;
    const { since: firstAt, lastAt, events, eventId } = only;
    judged.set(name, {
      ...{ kind: 'handler_fails', source, eventType, firstAt, lastAt, events, eventId: toEventId(eventId) },
      ...given({ toldAt }),
    });
  }
  const others = Object.entries(known).filter(([name]) => !names.includes(name));
  return { concerns: Object.fromEntries([...others, ...judged]), judged: new Set(judged.keys()) };
}

/** With the handlers that are not known yet, in front. */
function withNew(failing: readonly Handler[], before: Concerns, { clock, telemetry }: Ports): Concerns {
  const now = clock.now();
  const fresh = failing.flatMap(({ source, eventType, eventId }): [string, Concern][] => {
    const concern = {
      kind: 'handler_fails',
      source,
      eventType,
      eventId,
      firstAt: now,
      lastAt: now,
      events: 0,
    } as const;
    const name = nameOfConcern(concern);
    return before[name] === undefined ? [[name, concern]] : [];
  });
  const room = Math.max(0, KEPT - Object.values(before).filter(({ kind }) => kind === 'handler_fails').length);
  const left = fresh.length - room;
  if (left > 0) telemetry.log('warn', { stage: 'concern', cause: 'too_many_handlers', kept: KEPT, left_out: left });
  return Object.fromEntries([...fresh.slice(0, room), ...Object.entries(before)]);
}

/**
 * Names of the handlers to look at: those that are told next, then in the order in which they are kept, the last ones that were
 * looked at at its end.
 */
function dueOf(failing: readonly Handler[], known: Concerns, now: EpochMs, timings: Timings): readonly string[] {
  // Twice within the time that a handler has to fail for; and none is told by what was true minutes ago.
  const isTurn = Math.floor(now / MINUTE_MS) % Math.ceil(timings.refusedQuietMs / (2 * MINUTE_MS)) === 0;
  const handlers = Object.entries(known).filter(([, { kind }]) => kind === 'handler_fails');
  const untold = handlers.filter(([, it]) => it.toldAt === undefined && isRipe(it, timings));
  const next = untold.toSorted(([, a], [, b]) => a.firstAt - b.firstAt).slice(0, TOLD_NEXT);
  const failed = new Set(failing.map(it => nameOfConcern({ kind: 'handler_fails', ...it })));
  const due = handlers.filter(([name, { events }]) => isTurn || events === 0 || failed.has(name));
  return [...new Set([...next, ...due].map(([name]) => name))];
}

/** The oldest of a kind that is due to be told; undefined: none, or the last one was told a moment ago. */
function nextOf(
  kind: ConcernKind,
  concerns: Concerns,
  judged: ReadonlySet<string>,
  now: EpochMs,
  timings: Timings,
): Concern | undefined {
  const all = Object.entries(concerns).filter(([, it]) => it.kind === kind);
  if (all.some(([, { toldAt }]) => toldAt !== undefined && now - toldAt < SPACING_MS)) return undefined;
  return all
    .filter(
      ([name, it]) =>
        it.toldAt === undefined && (kind !== 'handler_fails' || (judged.has(name) && isRipe(it, timings))),
    )
    .map(([, it]) => it)
    .toSorted((a, b) => a.firstAt - b.firstAt)[0];
}

function isRipe({ firstAt, lastAt, events = 0 }: Concern, timings: Timings): boolean {
  return isWorthTelling({ since: firstAt, lastAt, events }, timings);
}
