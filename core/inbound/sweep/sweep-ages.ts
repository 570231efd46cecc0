/** How long the oldest of each kind of open event has waited, in seconds, as one run of the sweeper sees it. */
import type { EpochMs } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { FAR } from '#core/inbound/protocol/event-writes.ts';
import type { Telemetry } from '#core/ports.ts';
import { dueSince } from './sweep-event.ts';

export class SweepAges {
  #unsent = 0;
  #unfinished = 0;
  #parkedDue = 0;
  #paused = 0;

  /** Of an event that is due: since when, by its record. */
  note(item: EventItem, now: EpochMs): void {
    const since = dueSince(item, now);
    if (since === undefined) return;
    const age = (now - since) / 1_000;
    if (item.parked) {
      if (item.watchAt !== FAR) this.#parkedDue = Math.max(this.#parkedDue, age);
    } else if (item.status === 'pending' && item.enqueuedAt === undefined) {
      this.#unsent = Math.max(this.#unsent, age);
    } else if (item.status !== 'dead_letter') {
      this.noteUnfinished(now - since);
    }
  }

  noteUnfinished(ageMs: number): void {
    this.#unfinished = Math.max(this.#unfinished, ageMs / 1_000);
  }

  notePause(ageMs: number): void {
    this.#paused = Math.max(this.#paused, ageMs / 1_000);
  }

  report(telemetry: Telemetry): void {
    telemetry.measure('UnsentOldestAge', this.#unsent);
    telemetry.measure('UnfinishedOldestAge', this.#unfinished);
    telemetry.measure('ParkedDue', this.#parkedDue);
    telemetry.measure('PausedOldestAge', this.#paused);
  }
}
