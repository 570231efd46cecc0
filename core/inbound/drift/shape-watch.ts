/**
 * Sees when a provider changes the structure of its events: each payload is compared with the shape known for its source
 * and type. What is known costs a walk over the payload and nothing else; only a new shape is read and written, after the
 * batch, and told once.
 */
import { askOrSkip } from '#core/ask.ts';
import type { EpochMs, EventId, SourceId } from '#core/glossary.ts';
import type { ControlStore } from '#core/inbound/ports.ts';
import type { Clock, Telemetry } from '#core/ports.ts';
import { DAY_MS } from '#core/time.ts';
import {
  emptyDiff,
  fits,
  isNews,
  MAX_NODES,
  mergeShape,
  type Room,
  type Shape,
  type ShapeDiff,
  shapeOf,
  sizeOf,
} from './shape.ts';
import { decodeShape, encodeShape, type ShapeChange, type StoredShape } from './stored-shape.ts';

export interface ShapePorts {
  readonly control: Pick<ControlStore, 'read' | 'write'>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** Of one source; what its provider calls a type is not ours to bound otherwise. */
const MAX_TYPES = 200;
/** Kept in memory. */
const MAX_KNOWN = 300;
const MAX_PENDING = 20;
const MAX_TRIES = 3;
const PATHS_LOGGED = 10;

interface Seen {
  readonly source: SourceId;
  readonly eventType: string;
  readonly eventId: EventId;
  readonly shape: Shape;
}

export class ShapeWatch {
  readonly #ports: ShapePorts;
  readonly #known = new Map<string, Shape | 'not_watched'>();
  readonly #pending: Seen[] = [];

  constructor(ports: ShapePorts) {
    this.#ports = ports;
  }

  /** Looks at one payload, before its handler may change it. No call leaves the process. */
  observe(source: SourceId, eventType: string, eventId: EventId, payload: unknown): void {
    if (typeof payload !== 'object' || payload === null || this.#pending.length >= MAX_PENDING) return;
    const known = this.#known.get(controlName(source, eventType));
    if (known === 'not_watched' || (known && fits(known, payload))) return;
    this.#pending.push({ source, eventType, eventId, shape: shapeOf(payload) });
  }

  /** Stores what was new and tells of it. Never throws: an event has nothing to do with it. */
  async flush(): Promise<void> {
    for (const seen of this.#pending.splice(0)) {
      const { source, eventType: event_type } = seen;
      const { telemetry } = this.#ports;
      await askOrSkip({ telemetry, stage: 'schema', fields: { source, event_type } }, () => this.#learn(seen));
    }
  }

  async #learn(seen: Seen): Promise<void> {
    const { control, clock } = this.#ports;
    const name = controlName(seen.source, seen.eventType);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const item = await control.read(name);
      const stored = decodeShape(item?.value);
      if (!stored && !(await this.#mayWatch(seen))) return this.#remember(name, 'not_watched');
      const shape = stored?.shape ?? seen.shape;
      const diff = emptyDiff();
      const room: Room = { nodes: MAX_NODES - sizeOf(shape) };
      if (stored) mergeShape(shape, seen.shape, diff, '', room);
      const learnUntil = stored?.learnUntil ?? clock.now() + DAY_MS;
      const isSame = stored && !isNews(diff) && !diff.silent;
      const now = clock.now();
      const isTold = isNews(diff) && now >= learnUntil;
      const changes = [...(isTold ? [changeOf(diff, now)] : []), ...(stored?.changes ?? [])];
      // Refused: another function was first. What it stored may hold the same news.
      if (!isSame && !(await control.write(name, encodeShape({ shape, learnUntil, changes }), item?.version ?? 0)))
        continue;
      const isFull = room.nodes < 0 || room.isFull === true;
      if (isFull) this.#warn(seen, 'too_many_paths');
      this.#remember(name, isFull ? 'not_watched' : shape);
      if (isTold) this.#tell(seen, changeOf(diff, now));
      return;
    }
  }

  /** The list of a source's types, so that they are bounded, and can be shown. */
  async #mayWatch({ source, eventType }: Seen): Promise<boolean> {
    const { control } = this.#ports;
    const name = `shapes#${source}`;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const item = await control.read(name);
      const types = item?.value.split('\n') ?? [];
      if (types.includes(eventType)) return true;
      if (types.length >= MAX_TYPES) {
        this.#warn({ source, eventType }, 'too_many_types');
        return false;
      }
      if (await control.write(name, [...types, eventType].join('\n'), item?.version ?? 0)) return true;
    }
    return false;
  }

  #remember(name: string, shape: Shape | 'not_watched'): void {
    this.#known.delete(name);
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= MAX_KNOWN) this.#known.delete(oldest);
    this.#known.set(name, shape);
  }

  #warn({ source, eventType }: Pick<Seen, 'source' | 'eventType'>, cause: string): void {
    this.#ports.telemetry.log('warn', { stage: 'schema', source, event_type: eventType, cause });
  }

  #tell({ source, eventType, eventId }: Seen, { added, removed, changed, paths }: ShapeChange): void {
    this.#ports.telemetry.count('SchemaChanged', { source });
    this.#ports.telemetry.log('warn', {
      stage: 'schema',
      source,
      event_type: eventType,
      event_id: eventId,
      ...{ added, removed, changed, paths },
    });
  }
}

function changeOf({ added, removed, changed }: ShapeDiff, at: EpochMs): ShapeChange {
  return {
    at,
    added: added.slice(0, PATHS_LOGGED),
    removed: removed.slice(0, PATHS_LOGGED),
    changed: changed.slice(0, PATHS_LOGGED),
    paths: added.length + removed.length + changed.length,
  };
}

function controlName(source: SourceId, eventType: string): string {
  return `shape#${source}#${eventType}`;
}

/** A shape as it is known of a source and type. */
export interface KnownShape {
  readonly eventType: string;
  /** Undefined: it holds more paths than are watched, or was written by another version. */
  readonly stored: StoredShape | undefined;
}

/** What is known of a source, by type, for a person. */
export async function readShapes(
  control: Pick<ControlStore, 'read'>,
  source: SourceId,
): Promise<readonly KnownShape[]> {
  const types = (await control.read(`shapes#${source}`))?.value.split('\n') ?? [];
  return Promise.all(
    types.toSorted().map(async eventType => ({
      eventType,
      stored: decodeShape((await control.read(controlName(source, eventType)))?.value),
    })),
  );
}
