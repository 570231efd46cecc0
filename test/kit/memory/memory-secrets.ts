import type { SecretValues } from '#adapters/secrets/cached-secrets.ts';
import { DependencyError } from '#core/errors.ts';
import type { SourceId } from '#core/glossary.ts';

/** The stored secrets of sources, in memory. Wrap it in `CachedSecrets` to get the `Secrets` port. */
export class MemorySecretValues implements SecretValues {
  readonly #texts = new Map<SourceId, string>();
  /** While true, every fetch fails. */
  unreachable = false;
  /** Fetches so far. */
  fetches = 0;

  set(sourceId: SourceId, text: string): void {
    this.#texts.set(sourceId, text);
  }

  async fetch(sourceId: SourceId): Promise<string | undefined> {
    this.fetches += 1;
    if (this.unreachable) throw new DependencyError('secrets', 'unreachable', { outcome: 'not_applied' });
    return this.#texts.get(sourceId);
  }

  async fetchMany(sourceIds: readonly SourceId[]): Promise<ReadonlyMap<SourceId, string>> {
    this.fetches += 1;
    return this.unreachable ? new Map() : new Map([...this.#texts].filter(([id]) => sourceIds.includes(id)));
  }

  async replace(sourceId: SourceId, expected: string, text: string): Promise<boolean> {
    if (this.unreachable) throw new DependencyError('secrets', 'unreachable', { outcome: 'not_applied' });
    if (this.#texts.get(sourceId) !== expected) return false;
    this.#texts.set(sourceId, text);
    return true;
  }
}
