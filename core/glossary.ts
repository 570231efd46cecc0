/**
 * The words of the product as types. Ids are branded strings with one checking constructor each, so that a source id
 * can never be passed where an event key is meant. Keys carry the source id: one source can never touch another's event.
 */
declare const brand: unique symbol;
type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** One inbound URL with its secrets: lower-case letters, digits and hyphens, 1 to 40 characters. */
export type SourceId = Brand<string, 'SourceId'>;
/** The provider's own id of an event, or its hash: printable ASCII, 1 to 256 bytes. */
export type EventKey = Brand<string, 'EventKey'>;
/** Primary key of an event: `<sourceId>#<eventKey>`. */
export type EventPk = Brand<string, 'EventPk'>;
/** Our public id of an event: `evt_<source>.<eventKey>`, with `~2F` for a `/`: letters, digits and `_ . - ~` only. */
export type EventId = Brand<string, 'EventId'>;

/** Milliseconds since 1970, UTC. */
export type EpochMs = number;

/** Every state an event can be in. See docs/understand/how-receiving-works.md. */
export const EVENT_STATUSES = [
  'pending',
  'processing',
  'failed',
  'deferred',
  'completed',
  'skipped_stale',
  'rejected',
  'ignored',
  'dead_letter',
  'closed',
] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

/** The TTL attribute (epoch seconds): one constant for the code that writes it and the table that declares it. */
export const TTL_ATTRIBUTE = 'expiresAt';

/** Begins the key of a control item in the `events` table. No source id holds an underscore, so it is never an event's. */
export const CONTROL_PREFIX = '_control#';
/** What a start reads to warm its client: an item that is never there, where every reader of control items may look. */
export const PRIME_EVENTS = { pk: `${CONTROL_PREFIX}prime` } as const;

const SOURCE_ID = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/** Checks and brands a source id. Throws RangeError when the text is not one. */
export function toSourceId(text: string): SourceId {
  if (!SOURCE_ID.test(text)) {
    throw new RangeError(
      `"${text.slice(0, 60)}" is not a source id: use 1 to 40 lower-case letters, digits and inner hyphens, e.g. "stripe-eu"`,
    );
  }
  return text as SourceId;
}

/** True when the text may be an event key as it is (otherwise its SHA-256 takes its place). */
export function isEventKey(text: string): text is EventKey {
  return text.length >= 1 && text.length <= 256 && /^[\x21-\x7e]+$/.test(text);
}

/** Builds the primary key of an event. */
export function toEventPk(sourceId: SourceId, eventKey: EventKey): EventPk {
  return `${sourceId}#${eventKey}` as EventPk;
}

/** Splits a primary key at its first `#`. Throws RangeError when the text is not one. */
export function splitEventPk(pk: string): { sourceId: SourceId; eventKey: EventKey } {
  const at = pk.indexOf('#');
  const eventKey = pk.slice(at + 1);
  if (at < 1 || !isEventKey(eventKey)) {
    throw new RangeError(`"${pk.slice(0, 80)}" is not an event key: expected <source>#<provider's event id>`);
  }
  return { sourceId: toSourceId(pk.slice(0, at)), eventKey };
}

/**
 * Our public id of the event behind a primary key: safe in a shell, and in a URL path unchanged. API Gateway undoes
 * percent escapes before it looks for the route: an id with `%2F` in it would be taken for another path.
 */
export function toEventId(pk: EventPk): EventId {
  const { sourceId, eventKey } = splitEventPk(pk);
  const escaped = eventKey.replace(/[^\w.-]/g, char => `~${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return `evt_${sourceId}.${escaped}` as EventId;
}

/** The primary key behind our public id, percent escapes understood, or undefined when the text is not such an id. */
export function eventIdToPk(eventId: string): EventPk | undefined {
  const match = /^evt_([a-z0-9-]+)\.(.+)$/.exec(eventId);
  if (!match) return undefined;
  try {
    const percent = (match[2] ?? '').replace(/~(?=[2-7][0-9A-F])/g, '%');
    const eventKey = decodeURIComponent(percent);
    return isEventKey(eventKey) ? toEventPk(toSourceId(match[1] ?? ''), eventKey) : undefined;
  } catch {
    return undefined;
  }
}

/** The source of the gateway's own probe. Its name is taken: no source of the configuration may have it. */
export const PROBE_SOURCE = toSourceId('holdfast-probe');
/** What the secret of the edge is called among those of the sources: no source may have this name. */
export const EDGE_SECRET = toSourceId('holdfast-edge');
