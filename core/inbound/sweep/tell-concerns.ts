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
/** Handlers that one run may look at: each costs a read for each hour of four days. */
const HANDLERS = 20;

const METRIC_OF: Readonly<Record<ConcernKind, MetricName>> = {
  conflict: 'NewConflict',
  too_old: 'NewTooOld',
  handler_fails: 'NewFailingHandler',
};

export interface Handler {
  readonly source: string;
  readonly eventType: string;
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
 */
export async function tellConcerns(failing: readonly Handler[], ports: Ports, timings: Timings): Promise<void> {
  const { control, clock, telemetry } = ports;
  const stored = await control.read(CONCERNS_CONTROL);
  const before = decodeConcerns(stored?.value);
  if (stored === undefined && failing.length === 0) return;
  const now = clock.now();
  const judged = await judgeHandlers(failing, before, ports, timings);
  const kept = Object.fromEntries(Object.entries(judged).filter(([, concern]) => isKept(concern, now)));
  const told = Object.keys(METRIC_OF).flatMap(kind => nextOf(kind as ConcernKind, kept, now, timings) ?? []);
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
  // Refused: somebody wrote at the same time. What was told is told again, which is better than never.
  if (value !== JSON.stringify(before)) await control.write(CONCERNS_CONTROL, value, stored?.version ?? 0);
}

async function judgeHandlers(
  failing: readonly Handler[],
  before: Concerns,
  { store, clock }: Ports,
  timings: Timings,
): Promise<Concerns> {
  const now = clock.now();
  // Twice within the time that a handler has to fail for; and none is told by what was true minutes ago.
  const isTurn = Math.floor(now / MINUTE_MS) % Math.ceil(timings.refusedQuietMs / (2 * MINUTE_MS)) === 0;
  const isDue = (it: Concern): boolean => isTurn || (it.toldAt === undefined && isRipe(it, timings));
  const due = Object.values(before).filter(it => it.kind === 'handler_fails' && isDue(it));
  const handlers = new Map<string, Handler>();
  for (const { source, eventType } of [...due, ...failing]) {
    if (eventType === undefined) continue;
    handlers.set(nameOfConcern({ kind: 'handler_fails', source, eventType }), { source, eventType });
  }
  const others = Object.entries(before).filter(([name]) => !handlers.has(name));
  const found: [string, Concern][] = [];
  for (const [name, { source, eventType }] of [...handlers].slice(0, HANDLERS)) {
    const only = await readOnlyFails(source, eventType, { store, now: clock.now() });
    if (only === undefined) continue;
    const { since: firstAt, lastAt, events, eventId } = only;
    const told = before[name]?.toldAt;
    found.push([
      name,
      {
        ...{ kind: 'handler_fails', source, eventType, firstAt, lastAt, events, eventId: toEventId(eventId) },
        ...given({ toldAt: told }),
      },
    ]);
  }
  return Object.fromEntries([...others, ...found]);
}

/** The oldest of a kind that is due to be told; undefined: none, or the last one was told a moment ago. */
function nextOf(kind: ConcernKind, concerns: Concerns, now: EpochMs, timings: Timings): Concern | undefined {
  const all = Object.values(concerns).filter(it => it.kind === kind);
  if (all.some(({ toldAt }) => toldAt !== undefined && now - toldAt < SPACING_MS)) return undefined;
  return all
    .filter(it => it.toldAt === undefined && (kind !== 'handler_fails' || isRipe(it, timings)))
    .toSorted((a, b) => a.firstAt - b.firstAt)[0];
}

function isRipe({ firstAt, lastAt, events = 0 }: Concern, timings: Timings): boolean {
  return isWorthTelling({ since: firstAt, lastAt, events }, timings);
}
