/** What is sent, and what came of it: shared by the parts of one attempt. */
import type { Answer, OutgoingRequest, Placed, Verdict } from '#core/outbound/ports.ts';
import type { MessageItem, RecordItem, RowItem } from '#core/outbound/protocol/items.ts';
import type { Random } from '#core/ports.ts';
import type { Health } from './health.ts';
import type { InHand } from './record-outcome.ts';

/** A delivery in hand with what its request needs. */
export interface Sending extends InHand {
  readonly row: Placed<RowItem>;
  readonly message: MessageItem;
  readonly record: RecordItem | undefined;
  readonly body: Uint8Array;
}
/** A request that is ready; of a batched endpoint it carries several deliveries. */
export interface Prepared {
  readonly sendings: readonly Sending[];
  readonly request: OutgoingRequest;
  readonly kid: string | undefined;
}

/** One request's answer, and what is known of it. */
export interface Seen {
  readonly answer: Answer;
  readonly verdict: Verdict;
  readonly charged: boolean;
  /** Not charged, because most likely our own way out failed. */
  readonly spared: boolean;
  /** Kept, though it is not charged: those after it are a number. */
  readonly firstThrottled: boolean;
  readonly onTrial: boolean;
  readonly startedAt: number;
  readonly now: number;
  readonly kid: string | undefined;
  /** What the next time of a failed delivery follows from: of a batch one for all its members. */
  readonly pace: { readonly n: number; readonly waits: number; readonly random: Random };
  /** What was known of the endpoint before the answer. */
  readonly known: Health;
}
