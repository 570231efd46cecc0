/**
 * The live stream: one follower of the event log for all open pages. It looks only while somebody watches; a page that
 * comes back gives the number of the last message it saw and gets what it missed.
 */
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { explainError } from '#operator/explain-error.ts';
import { FollowLog, type Place } from '#operator/health/follow-log.ts';
import type { Operator } from '#operator/operator.ts';
import type { LiveMessage, LiveNews, Problem } from '../wire.ts';
import { problemOf } from './problem.ts';
import { rowOf } from './rows.ts';

const KEPT = 1_000;
const BEAT_MS = 5_000;
const RETRY_MS = 2_000;
/** What came just before the page was opened is on its first list already; twice does no harm. */
const BEGIN_BEFORE_MS = 5_000;

export type Watcher = (message: LiveMessage) => void;

export class LiveHub {
  readonly #operator: Operator;
  readonly #kept: LiveMessage[] = [];
  readonly #watchers = new Set<Watcher>();
  #seq = 0;
  #running: AbortController | undefined;
  /** Why nothing can be read now. */
  #trouble: Problem | undefined;

  constructor(operator: Operator) {
    this.#operator = operator;
  }

  /** Tells of everything after message `after`. Returns the end of it. */
  watch(watcher: Watcher, after: number | undefined): () => void {
    const first = this.#kept[0]?.seq ?? this.#seq + 1;
    const missed = after !== undefined && (after > this.#seq || after < first - 1);
    watcher({ kind: 'hello', seq: this.#seq, now: this.#operator.clock.now(), missed });
    if (after !== undefined && !missed) for (const message of this.#kept) if (message.seq > after) watcher(message);
    if (this.#trouble !== undefined) watcher({ kind: 'trouble', seq: this.#seq, ...this.#trouble });
    this.#watchers.add(watcher);
    this.#begin();
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.#end();
    };
  }

  close(): void {
    this.#watchers.clear();
    this.#end();
  }

  #begin(): void {
    if (this.#running !== undefined) return;
    const running = new AbortController();
    this.#running = running;
    const beat = setInterval(() => {
      this.#tell({ kind: 'beat', now: this.#operator.clock.now() });
      void this.#refresh(running);
    }, BEAT_MS);
    running.signal.addEventListener('abort', () => clearInterval(beat));
    void this.#follow(running.signal);
  }

  /** Sources may have come and gone: the follower begins anew. What cannot be read now is looked at with the next beat. */
  async #refresh(running: AbortController): Promise<void> {
    const isNew = await this.#operator.refresh().catch(() => false);
    if (!isNew || this.#running !== running) return;
    this.#end();
    this.#begin();
    this.#tell({ kind: 'changed' });
  }

  #end(): void {
    this.#running?.abort();
    this.#running = undefined;
  }

  /** Until nobody watches. What the follower itself does not wait out (no credentials) is told, and tried again. */
  async #follow(signal: AbortSignal): Promise<void> {
    const operator = this.#operator;
    let since = operator.clock.now() - BEGIN_BEFORE_MS;
    const save = ({ at }: Place): void => {
      since = at;
    };
    while (!signal.aborted) {
      try {
        const { store, clock, timer } = await operator.gateway();
        const log = new FollowLog({
          store,
          clock,
          timer,
          sources: operator.sourceIds,
          memory: { load: () => undefined, save },
          since,
          pollMs: operator.deployment.emulated ? 250 : 1_000,
          onOutage: message => this.#tellTrouble(new Error(message)),
          onLooked: () => this.#tellWell(),
        });
        await log.follow(item => this.#tellEvent(item), signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#tellTrouble(error);
        await new Promise(resolve => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  #tellWell(): void {
    if (this.#trouble === undefined) return;
    this.#trouble = undefined;
    this.#tell({ kind: 'well' });
  }

  #tellEvent(item: EventItem): Promise<boolean> {
    this.#tell({ kind: 'event', row: rowOf(item) });
    return Promise.resolve(true);
  }

  #tellTrouble(error: unknown): void {
    if (this.#trouble !== undefined) return;
    this.#trouble = problemOf(explainError(error));
    this.#tell({ kind: 'trouble', ...this.#trouble });
  }

  #tell(message: LiveNews): void {
    // A beat is no news: nobody who comes back wants the old ones.
    const isNews = message.kind !== 'beat';
    if (isNews) this.#seq += 1;
    const numbered = { ...message, seq: this.#seq };
    if (isNews) {
      this.#kept.push(numbered);
      if (this.#kept.length > KEPT) this.#kept.shift();
    }
    for (const watcher of this.#watchers) watcher(numbered);
  }
}
