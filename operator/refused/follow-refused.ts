/** Follows refused requests: each once, within about a second. What a flood writes over before a look is not told. */
import type { EpochMs, SourceId } from '#core/glossary.ts';
import type { PayloadStore } from '#core/inbound/ports.ts';
import type { Timer } from '#core/ports.ts';
import { type RefusedRequest, readRefused } from './refused.ts';

const POLL_MS = 1_000;
/** A look asks once for each source: this is the most questions a second, however many sources there are. */
const ASKS_PER_SECOND = 20;

export interface FollowRefusedOptions {
  readonly payloads: Pick<PayloadStore, 'listRefused'>;
  readonly timer: Pick<Timer, 'sleep'>;
  readonly sources: readonly SourceId[];
  /** Tell of those since then that are there already. @default only of what comes from now on */
  readonly since?: EpochMs;
}

/** Until aborted. A look that fails is made again: what it missed is still kept. */
export async function followRefused(
  options: FollowRefusedOptions,
  listener: (request: RefusedRequest) => void,
  signal: AbortSignal,
): Promise<void> {
  const { payloads, timer, sources, since } = options;
  /** A slot is used again: its time tells one request from the next. */
  let known: ReadonlySet<string> | undefined;
  const nameOf = ({ id, at }: RefusedRequest): string => `${id}@${at}`;
  while (!signal.aborted) {
    const found = await readRefused(payloads, { sources, since: 0 }).catch((error: unknown) => {
      if (!(error instanceof Error)) throw error;
      return undefined;
    });
    if (signal.aborted) return;
    if (found !== undefined) {
      const isNew = (it: RefusedRequest): boolean =>
        known === undefined ? since !== undefined && it.at >= since : !known.has(nameOf(it));
      for (const request of found.filter(isNew).reverse()) listener(request);
      known = new Set(found.map(nameOf));
    }
    await timer.sleep(Math.max(POLL_MS, (1_000 * sources.length) / ASKS_PER_SECOND));
  }
}
