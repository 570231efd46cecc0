/**
 * What travels through the queue: enough to claim the event, and enough to record it where the record is missing
 * (a DynamoDB outage at ingest, a restored table). The payload rides along while it is small.
 */

import { given } from '#core/given.ts';
import { splitEventPk } from '#core/glossary.ts';
import { decodeJsonObject } from '#core/scan/json-object.ts';
import type { EventItem } from './event-item.ts';
import type { NewEvent } from './event-writes.ts';

export const WORK_MESSAGE_VERSION = 1;

export interface WorkMessage extends NewEvent {
  readonly v: typeof WORK_MESSAGE_VERSION;
  /** Deflated raw bytes, base64. Absent: by reference. */
  readonly payload?: string;
  /** Key of the raw bytes in the blob store. */
  readonly ref?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Older than the dedup window allows: to be recorded, not run. */
  readonly stale?: boolean;
  /** Ingest could not write the record: the processor does. */
  readonly unrecorded?: boolean;
  /** A later attempt or a re-send, not the first copy. */
  readonly again?: boolean;
  /** Death that this DLQ message belongs to; brought back by a person's redrive. */
  readonly deadId?: string;
  readonly cause?: string;
  /** A copy that waits for a dependency: when the first of them was sent, and how many waits there were. */
  readonly waitingSince?: number;
  readonly waits?: number;
}

export type DecodedMessage =
  | { readonly kind: 'message'; readonly message: WorkMessage }
  | { readonly kind: 'unknown'; readonly reason: string };

export function encodeWorkMessage(message: WorkMessage): string {
  return JSON.stringify(message);
}

/** Replays are a group of their own, so that many of them hold up no live event of their source. */
export function groupOf({ pk, gen }: Pick<NewEvent, 'pk' | 'gen'>): string {
  return `${gen > 1 ? 'replay#' : ''}${splitEventPk(pk).sourceId}`;
}

/** The message that names an event and leaves its payload where it is. */
export function referenceTo(event: NewEvent | EventItem): WorkMessage {
  const { pk, gen, bodySha, provider, eventType, ingestId, size, receivedAt, eventAt, itemPath, reconciled } = event;
  return {
    v: WORK_MESSAGE_VERSION,
    pk,
    gen,
    bodySha,
    provider,
    eventType,
    ingestId,
    size,
    receivedAt,
    ...given({ eventAt, itemPath, reconciled }),
  };
}

const REQUIRED = {
  gen: 'number',
  bodySha: 'string',
  provider: 'string',
  eventType: 'string',
  ingestId: 'string',
  size: 'number',
  receivedAt: 'number',
} as const;
const OPTIONAL = {
  eventAt: 'number',
  itemPath: 'string',
  reconciled: 'boolean',
  payload: 'string',
  ref: 'string',
  headers: 'object',
  stale: 'boolean',
  unrecorded: 'boolean',
  again: 'boolean',
  deadId: 'string',
  cause: 'string',
  waitingSince: 'number',
  waits: 'number',
} as const;

/** Reads a message. Anything that is not exactly one of ours, of this version, is `unknown`; it never throws. */
export function decodeWorkMessage(text: string): DecodedMessage {
  const raw = decodeJsonObject(text);
  if (raw === undefined) return unknown('not a JSON object');
  if (raw['v'] !== WORK_MESSAGE_VERSION) return unknown(`unknown version ${String(raw['v']).slice(0, 20)}`);
  for (const [name, type] of Object.entries(REQUIRED)) {
    if (typeof raw[name] !== type) return unknown(`"${name}" is not a ${type}`);
  }
  for (const [name, type] of Object.entries(OPTIONAL)) {
    if (raw[name] !== undefined && (typeof raw[name] !== type || raw[name] === null))
      return unknown(`"${name}" is not a ${type}`);
  }
  if (!Number.isSafeInteger(raw['gen']) || (raw['gen'] as number) < 1)
    return unknown('"gen" is not a positive integer');
  try {
    splitEventPk(String(raw['pk']));
  } catch {
    return unknown('"pk" is not an event key');
  }
  return { kind: 'message', message: raw as unknown as WorkMessage };
}

function unknown(reason: string): DecodedMessage {
  return { kind: 'unknown', reason };
}
