import { eventTimes, type ProviderSpec } from '#core/provider/provider-spec.ts';
import { DAY_MS } from '#core/time.ts';

/** Payloads outlive their records by this, so that a record never misses its body (I14). */
export const PAYLOAD_MARGIN_DAYS = 7;

/** A body that is there and lives no more than this (seconds) less than asked for is left as it is: a write saved. */
const LIFETIME_SLACK = 86_400;

/** Must the lifetime of a body that is there be raised for one that was put again? Both in epoch seconds. */
export function livesTooShort(has: number | undefined, wanted: number): boolean {
  return has === undefined || has < wanted - LIFETIME_SLACK;
}

/** The age rule: an event this close to the end of the dedup window may have been seen and forgotten. */
const AGE_MARGIN_DAYS = 2;

/** So far back that an event of then may have been handled and forgotten. Times in epoch milliseconds. */
export function isPastDedupWindow(at: number, now: number, retentionDays: number): boolean {
  return now - at > (retentionDays - AGE_MARGIN_DAYS) * DAY_MS;
}

/** What the age rule looks at. */
export interface Age {
  /** The signature covers a time, and that was looked at: an old captured request was refused before. */
  readonly signedFresh: boolean;
  readonly eventAt: number | undefined;
  readonly receivedAt: number;
}

/**
 * The age rule: too old to be told from a forgotten one, so recorded and never run by itself. It holds against old captured
 * requests, and only where nothing else does: a signed fresh time says that the request is of today, whatever it is about;
 * and a time that dates the object (`dates: 'object'`) says nothing of when the event happened. docs/decisions/events-too-old-to-recognise-are-not-run.md.
 */
export function isTooOld(
  { identity }: ProviderSpec,
  { signedFresh, eventAt, receivedAt }: Age,
  retentionDays: number,
): boolean {
  if (signedFresh || eventAt === undefined || eventTimes(identity).some(({ dates }) => dates === 'object'))
    return false;
  return isPastDedupWindow(eventAt, receivedAt, retentionDays);
}

/** `actionTaken` of what the age rule, or an old copy without a record, ended. */
export const TOO_OLD = 'older than the dedup window';
