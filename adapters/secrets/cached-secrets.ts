import type { EpochMs, SourceId } from '#core/glossary.ts';
import type { Clock, PairingResult, SecretResult, Secrets } from '#core/ports.ts';
import { MINUTE_MS } from '#core/time.ts';
import { parseSecret } from './parse-secret.ts';

/** Reads the stored text of a source's secret; undefined when none is set. Throws when it cannot be read. */
export interface SecretValues {
  fetch(sourceId: SourceId): Promise<string | undefined>;
  /** The texts of several at once, as far as they can be read so: ask for each that is missing alone. Never throws. */
  fetchMany(sourceIds: readonly SourceId[]): Promise<ReadonlyMap<SourceId, string>>;
  /** Stores `text` if what is stored is still `expected`. False when somebody else was first. Throws when nobody knows. */
  replace(sourceId: SourceId, expected: string, text: string): Promise<boolean>;
}

const FRESH_MS = 5 * MINUTE_MS;
/** A source without a secret answers 503: the first value is to be noticed soon. */
const UNSET_MS = 10_000;
const REFRESH_INTERVAL_MS = 30_000;
/** After a failed fetch the stale value serves this long before the next try, so that an outage costs one call each. */
const RETRY_MS = 5_000;

interface Cached {
  readonly text: string | undefined;
  readonly result: SecretResult;
  freshUntil: EpochMs;
}

/**
 * Secrets of sources, cached 5 minutes (10 s while unset). A failed fetch is never cached: the value of the last good one
 * serves instead (`unreadable` when there is none), and the next call tries again.
 */
export class CachedSecrets implements Secrets {
  readonly #values: SecretValues;
  readonly #clock: Clock;
  readonly #onFailure: (sourceId: SourceId, error: unknown) => void;
  readonly #cache = new Map<SourceId, Cached>();
  readonly #running = new Map<SourceId, Promise<SecretResult>>();
  readonly #refreshedAt = new Map<SourceId, EpochMs>();

  /** `onFailure`: told why a secret could not be read. The error never holds the secret. */
  constructor(values: SecretValues, clock: Clock, onFailure: (sourceId: SourceId, error: unknown) => void = () => {}) {
    this.#values = values;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  /** Reads these ahead: together, and those that cannot be read so one by one. Never throws. */
  async prime(sourceIds: readonly SourceId[]): Promise<void> {
    const texts = await this.#values.fetchMany(sourceIds);
    await Promise.all(sourceIds.map(id => this.#load(id, texts.get(id))));
  }

  async get(sourceId: SourceId): Promise<SecretResult> {
    const cached = this.#cache.get(sourceId);
    if (cached && this.#clock.now() < cached.freshUntil) return cached.result;
    return this.#load(sourceId);
  }

  async refresh(sourceId: SourceId): Promise<boolean> {
    const now = this.#clock.now();
    const last = this.#refreshedAt.get(sourceId);
    const isTooSoon = last !== undefined && now - last < REFRESH_INTERVAL_MS;
    // Somebody asks at this moment: the answer is for all.
    if (isTooSoon && !this.#running.has(sourceId)) return false;
    if (!isTooSoon) this.#refreshedAt.set(sourceId, now);
    const before = this.#cache.get(sourceId);
    await this.#load(sourceId);
    return this.#cache.get(sourceId)?.text !== before?.text;
  }

  async pair(sourceId: SourceId, secret: string): Promise<PairingResult> {
    // A window may have been opened since the last look; asked at the pace of refreshes, whoever asks.
    if (!this.#isPairing(sourceId)) await this.refresh(sourceId);
    const open = this.#cache.get(sourceId);
    if (open?.text === undefined || !this.#isPairing(sourceId))
      return open?.result.kind === 'secret' ? 'taken' : 'closed';
    const replaced = await this.#values.replace(sourceId, open.text, secret);
    await this.#load(sourceId);
    return replaced ? 'paired' : 'taken';
  }

  #isPairing(sourceId: SourceId): boolean {
    const result = this.#cache.get(sourceId)?.result;
    return result?.kind === 'unset' && this.#clock.now() < (result.pairingUntil ?? 0);
  }

  /** One fetch at a time per source: callers that arrive meanwhile share its answer. */
  #load(sourceId: SourceId, known?: string): Promise<SecretResult> {
    const running = this.#running.get(sourceId);
    if (running) return running;
    const load = this.#fetch(sourceId, known).finally(() => this.#running.delete(sourceId));
    this.#running.set(sourceId, load);
    return load;
  }

  async #fetch(sourceId: SourceId, known: string | undefined): Promise<SecretResult> {
    try {
      const text = known ?? (await this.#values.fetch(sourceId));
      const result = parseSecret(text);
      const freshMs = result.kind === 'unset' ? UNSET_MS : FRESH_MS;
      this.#cache.set(sourceId, { text, result, freshUntil: this.#clock.now() + freshMs });
      return result;
    } catch (error) {
      this.#onFailure(sourceId, error);
      const stale = this.#cache.get(sourceId);
      if (stale === undefined) return { kind: 'unreadable' };
      stale.freshUntil = this.#clock.now() + RETRY_MS;
      return stale.result;
    }
  }
}
