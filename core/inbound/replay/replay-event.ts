/**
 * A person's request for a new run. The new generation makes every old copy of the event harmless, fences a running
 * attempt, and survives a retried request: the same `replayId` never replays twice.
 */

import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { EventStore, PayloadStore } from '#core/inbound/ports.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import {
  expiryAfter,
  markEnqueued,
  type ReplayWrite,
  replay,
  type WriteRules,
} from '#core/inbound/protocol/event-writes.ts';
import { PAYLOAD_MARGIN_DAYS } from '#core/inbound/protocol/retention.ts';
import { encodeWorkMessage, groupOf, referenceTo } from '#core/inbound/protocol/work-message.ts';
import type { Clock, WorkQueue } from '#core/ports.ts';

export interface ReplayRequest {
  /** Unique per request or job: a repetition with the same id changes nothing. */
  readonly replayId: string;
  readonly by: string;
  readonly why: string;
  /** A fresh idempotency key for outside calls, also when the event never completed. */
  readonly newKey?: boolean;
  /** Replay although an attempt is running (it is fenced). */
  readonly force?: boolean;
  /** Of a bulk job: when it was created. Events replayed since then, by anybody, are left alone. */
  readonly jobCreatedAt?: EpochMs;
  /** Run another body that came under the same id. */
  readonly bodySha?: string;
}

export type ReplayResult =
  | { readonly kind: 'replayed'; readonly item: EventItem }
  | { readonly kind: 'already_replayed'; readonly item: EventItem }
  | { readonly kind: 'refused'; readonly reason: 'running' | 'changed' | 'gone' }
  | { readonly kind: 'body_missing' };

export interface ReplayPorts {
  readonly store: Pick<EventStore, 'update'>;
  readonly payloads: Pick<PayloadStore, 'raiseBody' | 'putDetail'>;
  readonly queue: WorkQueue;
  readonly clock: Clock;
}

/**
 * Replays one event:
 *  1. make sure its body outlives the new run;
 *  2. note who asked and why;
 *  3. write the new generation, on the condition that nothing changed since `item` was read;
 *  4. send, beside live traffic; 5. mark.
 * A crash after 3 leaves the sending to the sweeper.
 */
export async function replayEvent(
  item: EventItem,
  request: ReplayRequest,
  ports: ReplayPorts,
  rules: WriteRules,
): Promise<ReplayResult> {
  if (item.replayId === request.replayId) return sendAgain(item, ports);
  // Nothing of this version could claim it afterwards: what had ended would be open until the newer one is back.
  if (item.status === 'unknown') return { kind: 'refused', reason: 'changed' };
  const now = ports.clock.now();
  const bodySha = request.bodySha ?? item.bodySha;
  const expiresAt = expiryAfter(now, rules.retentionDays + PAYLOAD_MARGIN_DAYS);
  if ((await ports.payloads.raiseBody(item.pk, bodySha, expiresAt)) === 'missing') return { kind: 'body_missing' };
  const { replayId, by, why, newKey = false, force = false, jobCreatedAt } = request;
  // Under a key of its own: a request that is refused below must not look like the one that asked for this generation.
  const detail = JSON.stringify({
    replay: { id: replayId, by, why, at: now, previous: item.replayId, reopens: item.closing },
  });
  await ports.payloads.putDetail({ pk: item.pk, sk: `N#${item.gen + 1}#${replayId}`, detail, expiresAt });

  const write: ReplayWrite = {
    replayId,
    newKey,
    force,
    ...given({ bodySha: request.bodySha, jobCreatedAt }),
  };
  const written = await ports.store.update(replay(item, write, now, rules.timings));
  if (written.kind === 'applied') {
    await send(written.item, ports);
    return { kind: 'replayed', item: written.item };
  }
  if (written.item === undefined) return { kind: 'refused', reason: 'gone' };
  if (written.item.replayId === replayId) return sendAgain(written.item, ports);
  const replayedSince = jobCreatedAt !== undefined && (written.item.replayedAt ?? 0) >= jobCreatedAt;
  const running = written.item.gen === item.gen && written.item.status === 'processing' && !replayedSince;
  return { kind: 'refused', reason: running ? 'running' : 'changed' };
}

/** The write was ours and its sender may have died before it sent: what was never sent is sent now. */
async function sendAgain(item: EventItem, ports: ReplayPorts): Promise<ReplayResult> {
  if (item.status === 'pending' && item.enqueuedAt === undefined) await send(item, ports);
  return { kind: 'already_replayed', item };
}

async function send(item: EventItem, ports: ReplayPorts): Promise<void> {
  await ports.queue.send(encodeWorkMessage({ ...referenceTo(item), again: true }), { groupId: groupOf(item) });
  await ports.store.update(markEnqueued(item.pk, item.gen, ports.clock.now()));
}
