/** Which sources are paused: one control item, cached for a few seconds. */
import { ask } from '#core/ask.ts';
import type { EpochMs, SourceId } from '#core/glossary.ts';
import type { ControlStore } from '#core/inbound/ports.ts';
import type { Clock, Telemetry } from '#core/ports.ts';
import { decodeByName } from '#core/scan/json-object.ts';

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

export interface PausesPorts {
  readonly control: Pick<ControlStore, 'read'>;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'count' | 'log'>;
}

export class Pauses {
  readonly #ports: PausesPorts;
  readonly #cacheMs: number;
  #known: PauseNotes = {};
  #readAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;

  constructor(ports: PausesPorts, cacheMs: number) {
    this.#ports = ports;
    this.#cacheMs = cacheMs;
  }

  /** At most `cacheMs` old. When the flags cannot be read, the last known ones hold. */
  async isPaused(sourceId: SourceId): Promise<boolean> {
    return (await this.all())[sourceId] !== undefined;
  }

  async all(): Promise<PauseNotes> {
    if (this.#ports.clock.now() - this.#readAt >= this.#cacheMs) {
      // All records of a batch wait for the same read: none runs on flags that nobody has read yet.
      this.#loading ??= this.#load().finally(() => {
        this.#loading = undefined;
      });
      await this.#loading;
    }
    return this.#known;
  }

  async #load(): Promise<void> {
    const { control, clock, telemetry } = this.#ports;
    const flags = await ask({ telemetry, stage: 'pauses' }, () => control.read(PAUSES_CONTROL));
    // A pause is an operator's convenience: an unreadable flag must not stop the work.
    if (flags.ok) this.#known = decodePauses(flags.value?.value);
    this.#readAt = clock.now();
  }
}
