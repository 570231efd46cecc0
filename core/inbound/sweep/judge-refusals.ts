/** Is a source refused because its secret is wrong? Without a rate: two events an hour count like a thousand a minute. */
import type { EpochMs } from '#core/glossary.ts';
import type { Timings } from '#core/inbound/protocol/timings.ts';

/** Fewer refusals than this, and nobody is woken. */
const REFUSALS = 3;
/** A silence this many times the usual distance of two events is none that happens by chance. */
const UNUSUAL = 7;

export interface Seen {
  /** When requests were refused for their signature; any order. */
  readonly refusedAt: readonly EpochMs[];
  /** When the last genuine events came, newest first. */
  readonly acceptedAt: readonly EpochMs[];
}

type Waits = Pick<Timings, 'refusedQuietMs' | 'refusedQuietCapMs'>;

/**
 * How long a source has been refused without a success, in milliseconds; undefined while nothing says that its secret is
 * wrong. Three refusals since the last success, the newest of them after a silence that is unusual for this source: a
 * scanner is refused between successes, and what it sends in a normal silence says nothing.
 */
export function refusedFor({ refusedAt, acceptedAt }: Seen, waits: Waits): number | undefined {
  const [last] = acceptedAt;
  // Never a success: a source that is being set up. `doctor` says what its refusals mean.
  if (last === undefined) return undefined;
  const since = refusedAt.filter(at => at > last);
  if (since.length < REFUSALS) return undefined;
  const lastedMs = Math.max(...since) - last;
  return lastedMs >= unusualSilence(acceptedAt, waits) ? lastedMs : undefined;
}

/** Milliseconds without a success after which one is missed. */
function unusualSilence(acceptedAt: readonly EpochMs[], { refusedQuietMs, refusedQuietCapMs }: Waits): number {
  const distances = acceptedAt.slice(1).map((at, n) => (acceptedAt[n] ?? at) - at);
  const median = distances.sort((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0;
  return Math.min(refusedQuietCapMs, Math.max(refusedQuietMs, UNUSUAL * median));
}
