/** The way out of a route: what it hands over, and what became of it. */
import type { SourceId } from '#core/glossary.ts';
import type { CustomerMessage, PublishedForRoute } from '#core/publisher.ts';
import type { RouteTarget } from './target.ts';

/** What a route hands to an AWS target. */
export interface TargetMessage {
  /** A CloudEvent as JSON. */
  readonly text: string;
  readonly source: SourceId;
  readonly eventType: string;
  /** 64 hex characters, the same for every attempt of one run: for targets that know a duplicate by its key. */
  readonly keyHash: string;
  /** Events of one group are about one thing: where a target keeps order, it keeps it within a group. At most 128 characters. */
  readonly group: string;
}
type RefusalCause = 'denied' | 'not_found' | 'invalid';
/**
 * `accepted`: the target has it. `refused`: no retry can help. `too_large`: by the target's own word. `busy`: throttled,
 * with the wait it asked for. `failed`: no answer, or one that says nothing: it may have it.
 */
export type Delivered =
  | { readonly kind: 'accepted'; readonly receipt?: string }
  | { readonly kind: 'refused'; readonly cause: RefusalCause; readonly reason: string }
  | { readonly kind: 'too_large'; readonly reason: string }
  | { readonly kind: 'busy'; readonly afterSeconds?: number; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };
/** Where routes send events. */
export interface Targets {
  /** To an AWS target. */
  send(target: RouteTarget, message: TargetMessage, signal: AbortSignal): Promise<Delivered>;
  /** POSTs bytes to a URL. No redirect is followed. */
  post(
    url: string,
    request: { readonly headers: Readonly<Record<string, string>>; readonly bytes: Uint8Array },
    signal: AbortSignal,
  ): Promise<Delivered>;
  /** To the endpoints of a customer: accepted when it is published. Throws DependencyError as `Publisher` does. */
  publish(message: CustomerMessage): Promise<Delivered>;
}

/** What a `Publisher` said, as a route understands it. */
export function deliveredBy(published: PublishedForRoute): Delivered {
  return published.kind === 'accepted' ? { kind: 'accepted', receipt: published.message } : published;
}
