/** What the delivery API says of an endpoint and its deliveries, as far as pages show it. */
import type { DayCounts, EndpointState, Waiting } from '../core/words.ts';

/** What a person is told before a delivery is sent again, by us and by its owner. */
export const SENT_AGAIN =
  'This sends the same body with the same webhook-id, so a server that already has it recognises it.';

export interface Delivery {
  readonly message: string;
  readonly endpoint: string;
  readonly type: string | null;
  readonly status: string;
  /** Nothing is sent now: the gate is closed, or the endpoint is on hold. */
  readonly held: boolean;
  /** Null: the gate is closed, and nobody knows when it is opened. */
  readonly held_until: string | null;
  readonly held_why: string | null;
  readonly attempt_count: number;
  readonly created_at: string;
  readonly next_retry_at: string | null;
  readonly last_attempt: {
    readonly status: number | null;
    readonly class: string;
  } | null;
}

export interface Attempt {
  /** `delivery`, `trial` of an endpoint on hold, or `test`. */
  readonly kind: string;
  readonly attempt: number;
  readonly at: string;
  readonly class: string;
  readonly code: number | null;
  /** Whose fault it was, for people; null for what was kept before that was known. */
  readonly in_words: string | null;
  readonly timings_ms: Readonly<Record<string, number>>;
  /** Why there was no answer. */
  readonly detail: string | null;
  /** Null where only the record is kept: of a success. */
  readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>> } | null;
  readonly response: { readonly body: string | null; readonly truncated: boolean } | null;
}

export interface Health extends EndpointState {
  readonly egress_suspected: boolean;
  readonly waiting: Waiting & { readonly oldest_at: string | null };
  /** Now; `dead_more`: there are more than that. */
  readonly dead: number;
  readonly dead_more: boolean;
  /** Ever. */
  readonly died: number;
  readonly success_rate_1h: number | null;
  readonly response_ms: number | null;
  /** Absent: of an older gateway. */
  readonly last_day?: DayCounts;
}

export interface TestResult {
  readonly success: boolean;
  readonly status_code: number | null;
  readonly class: string;
  readonly detail: string | null;
  /** Null: the token does not show bodies. */
  readonly response_body: string | null;
  readonly duration_ms: number;
  readonly request: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
  };
}
