/**
 * Pauses and resumes a source: one versioned control item for all of them, with who and why. Ingest ignores it (events
 * are still verified, recorded, acknowledged); the processor parks, and the sweeper brings back what was parked.
 */
import { type SourceId, toSourceId } from '#core/glossary.ts';
import type { ControlStore } from '#core/inbound/ports.ts';
import type { Clock } from '#core/ports.ts';
import { decodePauses, PAUSES_CONTROL, type PauseNote, type PauseNotes } from './pauses.ts';

const WRITE_TRIES = 10;

export interface PausePorts {
  readonly control: Pick<ControlStore, 'read' | 'write'>;
  readonly clock: Clock;
}

/** `already`: somebody was faster; the note is theirs. */
export type PauseResult = { readonly kind: 'paused' | 'already'; readonly note: PauseNote };
/** `note`: the pause that is over; absent: there was none. */
export type ResumeResult = { readonly kind: 'resumed' | 'not_paused'; readonly note?: PauseNote };

/** Pauses a source from the next message on (functions look again after a few seconds). */
export async function pauseSource(
  source: SourceId,
  { by, why }: { readonly by: string; readonly why: string },
  ports: PausePorts,
): Promise<PauseResult> {
  return changePauses<PauseResult>(ports, notes => {
    const held = notes[source];
    if (held) return { result: { kind: 'already', note: held } };
    const note: PauseNote = { since: ports.clock.now(), by, why };
    return { notes: { ...notes, [source]: note }, result: { kind: 'paused', note } };
  });
}

/** Ends the pause; the sweeper's next runs bring the parked events back, oldest first. */
export async function resumeSource(source: SourceId, ports: PausePorts): Promise<ResumeResult> {
  return changePauses<ResumeResult>(ports, ({ [source]: note, ...others }) =>
    note ? { notes: others, result: { kind: 'resumed', note } } : { result: { kind: 'not_paused' } },
  );
}

/** The source of this name if it is paused: one that was removed from the configuration may be, with its events waiting. */
export async function findPaused(name: string, control: Pick<ControlStore, 'read'>): Promise<SourceId | undefined> {
  return Object.hasOwn(await readPauses(control), name) ? toSourceId(name) : undefined;
}

export async function readPauses(control: Pick<ControlStore, 'read'>): Promise<PauseNotes> {
  return decodePauses((await control.read(PAUSES_CONTROL))?.value);
}

async function changePauses<T>(
  { control }: PausePorts,
  change: (notes: PauseNotes) => { readonly notes?: PauseNotes; readonly result: T },
): Promise<T> {
  for (let tries = 0; tries < WRITE_TRIES; tries++) {
    const stored = await control.read(PAUSES_CONTROL);
    const { notes, result } = change(decodePauses(stored?.value));
    if (notes === undefined) return result;
    if (await control.write(PAUSES_CONTROL, JSON.stringify(notes), stored?.version ?? 0)) return result;
  }
  throw new Error('The pause was not changed: others kept changing the list of pauses at the same time. Try again');
}
