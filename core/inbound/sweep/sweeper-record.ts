/**
 * What the sweeper's last runs came to, for a person who asks whether it works. Its lease cannot say: each run takes the
 * lease when it begins, also one that crashes a second later.
 */
import type { EpochMs, SourceId } from '#core/glossary.ts';
import type { ControlStore } from '#core/inbound/ports.ts';
import { decodeJsonObject } from '#core/scan/json-object.ts';
import type { Unbroken } from '#core/unbroken.ts';

const SWEEPER_CONTROL = 'sweeper-runs';
/** Its value: epoch ms until which a run that has begun may last. */
export const LEASE_CONTROL = 'sweeper-lease';
/** Of an error's text; it is shown in one line. */
const TEXT_LIMIT = 300;

/** A count of the dead letters. */
export interface Deaths {
  /** When they were counted. */
  readonly at: EpochMs;
  readonly open: number;
  /** Open ones whose messages the DLQ had not dropped for their age. */
  readonly inQueue: number;
  /** Of the oldest in the queue. Absent: none is. */
  readonly oldestDeadAt?: EpochMs;
  /** False: the run was over before all were counted, and there are at least these. */
  readonly complete: boolean;
  /** Where this count is not complete: how many the last one found that was. Absent: none is known. */
  readonly lastWhole?: number;
}

export interface SweeperRecord {
  /** The end of the last run that did all of its work. Absent: there was none yet. */
  readonly wellAt?: EpochMs;
  /** The last error: of a run that crashed, or of a piece of work that a run went on without. */
  readonly error?: { readonly at: EpochMs; readonly text: string };
  /** Version of the lease of the last run that ended: until another takes it, it is free before its time is over. */
  readonly endedLease?: number;
  /** The last count of the dead letters. */
  readonly deaths?: Deaths;
  /** What the absence of notes rests on (activity-look.ts). */
  readonly unbroken?: Unbroken;
  /** Sources to ask for refusals again: they were refused for a wrong secret, or could not be asked. */
  readonly refused?: readonly SourceId[];
}

/** Empty when no run has ended yet. Throws a DependencyError when the table cannot be read. */
export async function readSweeper(control: Pick<ControlStore, 'read'>): Promise<SweeperRecord> {
  const stored = await control.read(SWEEPER_CONTROL);
  return (stored && decodeJsonObject(stored.value)) ?? {};
}

/** What is not given stays as it was. Another run that writes at the same moment says as much: this one then need not. */
export async function noteSweeper(record: SweeperRecord, control: Pick<ControlStore, 'read' | 'write'>): Promise<void> {
  const stored = await control.read(SWEEPER_CONTROL);
  const before: SweeperRecord = (stored && decodeJsonObject(stored.value)) ?? {};
  await control.write(SWEEPER_CONTROL, JSON.stringify({ ...before, ...record }), stored?.version ?? 0);
}

/** An error as one line: its name and its message. */
export function lineOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= TEXT_LIMIT ? line : `${line.slice(0, TEXT_LIMIT - 1)}…`;
}
