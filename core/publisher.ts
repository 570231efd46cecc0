/**
 * The way from receiving to sending: what a route calls to publish an event to customers. The two engines know nothing of
 * each other; this port is all between them, and core/outbound/api/publish-for-route.ts is behind it.
 */

/** Bytes that go to a customer's endpoints as they are. */
export interface CustomerMessage {
  /** `uid` of the application. */
  readonly application: string;
  /** The same for every attempt of one run: one key is one message. */
  readonly key: string;
  readonly type: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** `accepted`: stored, and its job queued, now or by an attempt before. `refused`: no retry can help. */
export type PublishedForRoute =
  | { readonly kind: 'accepted'; readonly message: string }
  | { readonly kind: 'refused'; readonly cause: 'not_found' | 'invalid'; readonly reason: string };

export interface Publisher {
  /** Throws DependencyError where nothing may be promised: ask again, with the same key. */
  publish(message: CustomerMessage): Promise<PublishedForRoute>;
}
