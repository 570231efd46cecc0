/** Which sources are paused: one control item, cached for a few seconds. */
import type { EpochMs, SourceId } from '../glossary.ts';
import type { Clock, ControlStore } from '../ports.ts';
import { decodeByName } from './decode-json-object.ts';

export const PAUSES_CONTROL = 'pauses';

export interface PauseNote {
  readonly since: EpochMs;
  readonly by: string;
  readonly why: string;
}
export type PauseNotes = Readonly<Record<string, PauseNote>>;

export function decodePauses(value: string | undefined): PauseNotes {
  return decodeByName(value) as PauseNotes;
}

export class Pauses {
  private readonly control: Pick<ControlStore, 'read'>;
  private readonly clock: Clock;
  private readonly cacheMs: number;
  private known: PauseNotes = {};
  private readAt = Number.NEGATIVE_INFINITY;
  private loading: Promise<void> | undefined;

  constructor(control: Pick<ControlStore, 'read'>, clock: Clock, cacheMs: number) {
    this.control = control;
    this.clock = clock;
    this.cacheMs = cacheMs;
  }

  /** At most `cacheMs` old. When the flags cannot be read, the last known ones hold. */
  async isPaused(sourceId: SourceId): Promise<boolean> {
    return (await this.all())[sourceId] !== undefined;
  }

  async all(): Promise<PauseNotes> {
    if (this.clock.now() - this.readAt >= this.cacheMs) {
      // All records of a batch wait for the same read: none runs on flags that nobody has read yet.
      this.loading ??= this.load().finally(() => {
        this.loading = undefined;
      });
      await this.loading;
    }
    return this.known;
  }

  private async load(): Promise<void> {
    try {
      this.known = decodePauses((await this.control.read(PAUSES_CONTROL))?.value);
    } catch {
      // A pause is an operator's convenience: an unreadable flag must not stop the work.
    }
    this.readAt = this.clock.now();
  }
}
