/**
 * What a person should hear of once for each source: events that were recorded and not run, handlers that only fail. One
 * control item for all sources. Who meets such an event writes it down, the sweeper tells it (core/inbound/sweep/tell-concerns.ts),
 * `status` shows it until it was quiet for a week.
 */
import { ask } from '#core/ask.ts';
import { given } from '#core/given.ts';
import { type EpochMs, type EventPk, splitEventPk, toEventId } from '#core/glossary.ts';
import type { ControlStore } from '#core/inbound/ports.ts';
import type { Clock, Telemetry, Timer } from '#core/ports.ts';
import { decodeByName } from '#core/scan/json-object.ts';
import { DAY_MS, HOUR_MS } from '#core/time.ts';

export const CONCERNS_CONTROL = 'concerns';

/**
 * `conflict`: one event id came with two bodies. `too_old`: recorded and not run for its age. `handler_fails`: a handler
 * had failures and no success.
 */
export type ConcernKind = 'conflict' | 'too_old' | 'handler_fails';

export interface Concern {
  readonly kind: ConcernKind;
  readonly source: string;
  /** Of `handler_fails` only. */
  readonly eventType?: string;
  readonly firstAt: EpochMs;
  /** The newest one that was written down; of many, one an hour is. */
  readonly lastAt: EpochMs;
  readonly eventId: string;
  /** The body that was kept and not run, of `conflict` only. */
  readonly bodySha?: string;
  /** Events that failed, of the `EVENTS_LOOKED_AT` newest; 0: nobody looked yet. Of `handler_fails` only. */
  readonly events?: number;
  /** When the sweeper told it; absent: not yet. */
  readonly toldAt?: EpochMs;
}

export type Concerns = Readonly<Record<string, Concern>>;

export function decodeConcerns(value: string | undefined): Concerns {
  return decodeByName(value) as Concerns;
}

export function nameOfConcern({ kind, source, eventType }: Pick<Concern, 'kind' | 'source' | 'eventType'>): string {
  return eventType === undefined ? `${kind} ${source}` : `${kind} ${source} ${eventType}`;
}

/** Of one handler: enough to find one success among events that may fail. */
export const EVENTS_LOOKED_AT = 20;

/** A concern is forgotten when nothing like it happened for as long: the next one is a first one again. */
const CONCERN_KEPT_MS = 7 * DAY_MS;
/** One running copy writes the same concern down this often. */
const AGAIN_MS = HOUR_MS;
/** What a request waits for it at most. */
const LIMIT_MS = 400;
/** Copies that write at the same time. */
const MAX_ROUNDS = 4;

export interface ConcernPorts {
  readonly control: Pick<ControlStore, 'read' | 'write'>;
  readonly clock: Clock;
  readonly timer: Pick<Timer, 'limit'>;
  readonly telemetry: Pick<Telemetry, 'count' | 'log'>;
}

/** Writes concerns down. Best effort: what fails is counted, changes no answer, and is tried with the next such event. */
export class ConcernBoard {
  readonly #ports: ConcernPorts;
  readonly #notedAt = new Map<string, EpochMs>();

  constructor(ports: ConcernPorts) {
    this.#ports = ports;
  }

  /** `bodySha`: of a conflict, the body that was kept and not run. */
  async note(kind: 'conflict' | 'too_old', pk: EventPk, bodySha?: string): Promise<void> {
    const { clock, timer, telemetry } = this.#ports;
    const { sourceId: source } = splitEventPk(pk);
    const now = clock.now();
    const seen = { ...{ kind, source, firstAt: now, lastAt: now, eventId: toEventId(pk) }, ...given({ bodySha }) };
    const name = nameOfConcern(seen);
    if (now - (this.#notedAt.get(name) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return;
    const written = await ask({ telemetry, stage: 'concern', fields: { source } }, () =>
      timer.limit(LIMIT_MS, () => this.#write(name, seen)),
    );
    if (written.ok && written.value.kind === 'finished' && written.value.value) this.#notedAt.set(name, now);
  }

  async #write(name: string, seen: Concern): Promise<boolean> {
    const { control } = this.#ports;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const stored = await control.read(CONCERNS_CONTROL);
      const concerns = decodeConcerns(stored?.value);
      const known = concerns[name];
      const next = known && isKept(known, seen.lastAt) ? { ...known, ...seen, firstAt: known.firstAt } : seen;
      if (known && seen.lastAt - known.lastAt < AGAIN_MS) return true;
      const value = JSON.stringify({ ...concerns, [name]: next });
      if (await control.write(CONCERNS_CONTROL, value, stored?.version ?? 0)) return true;
    }
    return false;
  }
}

/** False: it was quiet for so long that the next one is a first one. */
export function isKept({ lastAt }: Concern, now: EpochMs): boolean {
  return now - lastAt < CONCERN_KEPT_MS;
}
