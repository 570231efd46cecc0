/** What a provider's API tells about the webhooks it tried to deliver, whoever the provider is. */
import type { EpochMs } from '#core/glossary.ts';

/**
 * How a call of a provider's API ended. Throws DependencyError for what a retry may help with: network errors, timeouts, 5xx,
 * an answer that is not of the documented form.
 */
export type ApiAnswer<T> =
  | { readonly kind: 'answered'; readonly value: T }
  /** 404 or 410. */
  | { readonly kind: 'gone' }
  /** A rate limit, or 503. `retryAfterSeconds`: what the answer asked for. */
  | { readonly kind: 'busy'; readonly retryAfterSeconds?: number }
  /** 401, 403 and other answers no retry can help. */
  | { readonly kind: 'refused'; readonly reason: string };

/** The event as its webhook would have carried it. */
export interface DeliveryContent {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** One attempt of the provider to deliver one event; an event with several attempts is listed several times. */
export interface ListedDelivery {
  /** The provider's id of the event, the very one its webhook carries. */
  readonly providerEventId: string;
  readonly eventType: string;
  readonly at: EpochMs;
  /** Names this attempt to the provider's API. Empty where an event is listed once. */
  readonly attemptId: string;
  /** It was asked for (by a person, or by an earlier run of ours). */
  readonly isRedelivery?: true;
  /** Absent: to be fetched. */
  readonly content?: DeliveryContent;
}

export interface DeliveryPage {
  readonly deliveries: readonly ListedDelivery[];
  /** Absent on the last page. */
  readonly next?: string;
}

/** Milliseconds; `from` belongs to the window, `to` does not. */
export interface ListWindow {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** One list of deliveries of one provider, newest first. */
export interface DeliveryApi {
  /** A page of the deliveries since `from`. More than the window may be listed, never less. */
  list(window: ListWindow, cursor: string | undefined): Promise<ApiAnswer<DeliveryPage>>;
  /** What an attempt carried. */
  fetch(delivery: ListedDelivery): Promise<ApiAnswer<DeliveryContent>>;
  /** Asks the provider to deliver an attempt again, through the front door. Absent: it cannot. */
  redeliver?(delivery: ListedDelivery): Promise<ApiAnswer<undefined>>;
}
