/**
 * A dry run before each action. It answers with what would be done and a token; the second call, with the same arguments
 * and the token, does exactly that. This keeps an agent from acting unseen and twice: a person sees the second call with all
 * its arguments. It is no proof that a person agreed: that is the agent's program's to ask.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { EpochMs } from '#core/glossary.ts';
import type { Clock } from '#core/ports.ts';
import { MINUTE_MS, toIso } from '#core/time.ts';
import { ArgumentError } from './tool.ts';

export interface Plan {
  /** What would be done, for the agent and the person. */
  readonly would: object;
  /** Does it to what the dry run found and nothing else. Absent: there is nothing to do. */
  readonly act?: (signal: AbortSignal) => Promise<object>;
}

interface Offer {
  /** The tool and its arguments. */
  readonly asked: string;
  readonly act: NonNullable<Plan['act']>;
  readonly until: EpochMs;
}

const VALID_MS = 5 * MINUTE_MS;
const MOST_OPEN = 20;

export class Confirmations {
  /** By the hash of the token: a token is looked up, never compared. The oldest first. */
  readonly #open = new Map<string, Offer>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Without a token a dry run, with one the action. A token is good for five minutes, one call, and these arguments. */
  async run<A extends { readonly confirm?: string }>(
    tool: string,
    { confirm, ...given }: A,
    signal: AbortSignal,
    plan: () => Promise<Plan>,
  ): Promise<object> {
    const asked = JSON.stringify([tool, Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1))]);
    if (confirm !== undefined) return { done: true, ...(await this.#take(confirm, asked).act(signal)) };
    const { would, act } = await plan();
    if (act === undefined) return { dry_run: true, would, next: 'there is nothing to do' };
    const token = randomBytes(18).toString('base64url');
    const until = this.#clock.now() + VALID_MS;
    this.#open.set(hashOf(token), { asked, act, until });
    for (const oldest of [...this.#open.keys()].slice(0, -MOST_OPEN)) this.#open.delete(oldest);
    const next = 'nothing was changed; to do exactly this, call again with the same arguments and confirm';
    return { dry_run: true, would, confirm: token, confirm_until: toIso(until), next };
  }

  /** It is used up in any case. */
  #take(token: string, asked: string): Offer {
    const hash = hashOf(token);
    const offer = this.#open.get(hash);
    this.#open.delete(hash);
    if (offer === undefined) throw refused('a token that this server did not give, or that was used');
    if (offer.until <= this.#clock.now()) throw refused('a token that has expired');
    if (offer.asked !== asked) throw refused('the token of a dry run with other arguments');
    return offer;
  }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64');

function refused(given: string): ArgumentError {
  const allowed = 'the confirm of a dry run with the same arguments, within five minutes, once';
  return new ArgumentError({ path: 'confirm', given, allowed, fix: 'call without confirm for a new dry run' });
}
