/**
 * Versions of an entity: what says which of two states is the newer one. Numbers compare as numbers, texts byte by byte,
 * as DynamoDB does; one entity keeps to one kind.
 */
import { all, any, type Condition, eq, le, lt, missing } from '#core/condition.ts';
import { PermanentError, type WebhookEvent } from '#core/handler/handler-contract.ts';
import type { ItemData } from '#core/ports.ts';
import { parseIso } from '#core/time.ts';

/** What says which of two states is newer: a number, or a text compared byte by byte. One row keeps to one kind. */
export type Version = number | string;

/** Attributes of an entity's row that belong to ordering: the version applied last, and the event that brought it. */
export const VERSION = 'version';
export const VERSION_EVENT = 'versionEventId';
/** The attribute that holds the state of a state machine. */
export const STATE = 'state';

/**
 * The time the provider gave the event, in milliseconds. Undefined where it gave none: arrival is no order.
 * @example
 * const version = eventTime(event);
 */
export function eventTime(event: Pick<WebhookEvent, 'time' | 'timeIsArrival'>): number | undefined {
  return event.timeIsArrival === true ? undefined : event.time;
}

/**
 * Reads an `updated_at` in ISO 8601 as milliseconds; microseconds count as their fraction. Undefined for anything
 * else.
 * @example
 * const version = timeVersion('2026-11-22T10:00:00.123456Z');
 */
export function timeVersion(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const ms = parseIso(value);
  if (ms === undefined) return undefined;
  const belowMs = /\.\d{3}(\d{1,3})/.exec(value)?.[1];
  return belowMs === undefined ? ms : ms + Number(`0.${belowMs}`);
}

/**
 * Reads a sequence number up to 2^53; it may be a number or digits. Undefined for anything else.
 * @example
 * const version = sequenceVersion('42');
 */
export function sequenceVersion(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

/**
 * Reads a sequence number of up to 38 digits; see `exactNumber`. The version is a text of fixed width. Undefined for
 * anything else.
 * @example
 * const version = longSequenceVersion('12345678901234567890');
 */
export function longSequenceVersion(value: unknown): string | undefined {
  // A number above 2^53 has lost digits already.
  const digits = typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : value;
  return typeof digits === 'string' && /^\d{1,38}$/.test(digits) ? digits.padStart(38, '0') : undefined;
}

/**
 * Holds for a row this version may replace: none, one that no strategy wrote (older data), an older one, or an equal one
 * that an event with a smaller id brought. The same event again may replace what it wrote itself: a replay applies again.
 */
export function mayReplace(version: Version, eventId: string): Condition {
  const sameVersion = all(eq(VERSION, version), any(missing(VERSION_EVENT), le(VERSION_EVENT, eventId)));
  return any(all(missing(VERSION), missing(VERSION_EVENT)), lt(VERSION, version), sameVersion);
}

/** The same, for a row that an event is compared with: a state that was fetched without a version may be the newer one. */
export function checkComparable(version: Version | undefined, row: ItemData | undefined): Version {
  if (isFetchedOnly(row))
    throw new PermanentError(
      'fetchLatest() wrote the row last, without a version, so nobody knows which is newer: let fetchLatest() write a version, or remove versionEventId from the row and replay the event',
    );
  return checkVersion(version, row);
}

/** Somebody asked for this state, and stored no version with it. */
function isFetchedOnly(row: ItemData | undefined): boolean {
  return row?.[VERSION_EVENT] !== undefined && row[VERSION] === undefined;
}

/**
 * The version as it will be stored. Throws PermanentError (the event is kept as a dead letter, to be replayed) for an
 * event without one or with one of another type, for numbers that have lost digits, and for a row whose version is of the
 * other kind.
 */
export function checkVersion(version: Version | undefined, row: ItemData | undefined): Version {
  const given: unknown = version;
  if (given === undefined || given === null || given === '')
    throw new PermanentError(
      'the event has no version to order it by: make the handler read one, then replay the event',
    );
  // A payload has what it has: stored in the row, it could be compared with no version that comes later.
  if (typeof given !== 'number' && typeof given !== 'string')
    throw new PermanentError(
      `the event's version is ${kindOf(given)}: give a number or a text (longSequenceVersion() for a bigint)`,
    );
  return comparable(given, row);
}

function kindOf(given: unknown): string {
  if (Array.isArray(given)) return 'a list';
  return typeof given === 'object' ? 'an object' : `a ${typeof given}`;
}

function comparable(version: Version, row: ItemData | undefined): Version {
  if (typeof version === 'number' && Math.abs(version) > Number.MAX_SAFE_INTEGER)
    throw new PermanentError(
      `version ${version} is above 2^53 and has lost digits: read it with longSequenceVersion()`,
    );
  if (typeof version === 'number' && !Number.isFinite(version))
    throw new PermanentError(`version ${version} is not a finite number: give a number or a text`);
  const stored = row?.[VERSION];
  if (stored !== undefined && typeof stored !== typeof version) {
    throw new PermanentError(
      `the row's version is a ${stored === null ? 'null' : typeof stored}, the event's a ${typeof version}: they cannot be compared; give versions of one type`,
    );
  }
  return version;
}

/** Why the row keeps what it has. */
export function describeNewer(version: Version, row: ItemData | undefined): string {
  const holder = row?.[VERSION_EVENT] === undefined ? '' : ` of ${String(row[VERSION_EVENT])}`;
  return row?.[VERSION] === version
    ? `version ${version}${holder} was applied already; of equal versions the larger event id counts`
    : `version ${version} is older than ${String(row?.[VERSION])}${holder}`;
}
