/**
 * Whose fault a failure is, and whether it uses up an attempt. A silent or overloaded endpoint is at fault itself. After a
 * 500 nobody knows: while one message alone has failed since the last success, it is taken for the message's; once a
 * second one fails, for the endpoint's (docs/understand/how-sending-works.md has the table).
 */
import type { Verdict } from '#core/outbound/ports.ts';

/** As many as it takes to know that it is not one message. */
const DISTINCT = 2;

/** The messages that failed since the last success, with one more; two are enough to know. */
export function withFailed(failed: readonly string[] | undefined, about: string): readonly string[] {
  const known = failed ?? [];
  return known.includes(about) || known.length >= DISTINCT ? known : [...known, about];
}

/** True where the endpoint is at fault, by what is known after this answer. */
export const isEndpoints = ({ fault }: Pick<Verdict, 'fault'>, failed: readonly string[] | undefined): boolean =>
  fault === 'endpoint' || (fault === 'ambiguous' && (failed?.length ?? 0) >= DISTINCT);

/**
 * Whether a failure uses up one of its delivery's attempts. `failed`: the messages that failed since the last success, this
 * one among them. Of an ordered endpoint nothing passes the head: each answer about it counts.
 */
export function isCharged(
  { fault }: Pick<Verdict, 'fault'>,
  at: { readonly onTrial: boolean; readonly ordered: boolean; readonly failed: readonly string[] | undefined },
): boolean {
  if (fault === 'message') return true;
  if (fault === 'endpoint') return !at.onTrial;
  return fault === 'ambiguous' && (at.ordered || !isEndpoints({ fault }, at.failed));
}
