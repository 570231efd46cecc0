/** How often one application may call within a second, in the memory of this process: against a page that runs wild. */
import type { EpochMs } from '#core/glossary.ts';

const PER_SECOND = 20;

/** True: it may. Of many processes each counts for itself; the stage has a throttle for all of them. */
export function callsPerSecond(most = PER_SECOND): (app: string, now: EpochMs) => boolean {
  let second = -1;
  const counts = new Map<string, number>();
  return (app, now) => {
    const current = Math.floor(now / 1_000);
    if (current !== second) counts.clear();
    second = current;
    const count = (counts.get(app) ?? 0) + 1;
    counts.set(app, count);
    return count <= most;
  };
}
