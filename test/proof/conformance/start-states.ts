import { DependencyError } from '#core/errors.ts';
import { watchShardOf } from '#core/inbound/protocol/event-writes.ts';
import type { State } from '#test/proof/model/lifecycle/lifecycle-state.ts';
import { startRequest } from './people-step.ts';
import type { RealLifecycle } from './real-lifecycle.ts';
import { EFFECTS, EVENTS, PK } from './walk-rules.ts';

/** Brings the real system into one of the model's start states, by requests through the real ingest. */
export async function beginAs(start: State, real: RealLifecycle): Promise<void> {
  const { record, queue } = start;
  if (!record) {
    for (let copy = 0; copy < queue.current; copy++) await requestInOutage(real);
    return;
  }
  const request = await startRequest(real);
  await request.release();
  if (queue.current > 0 || record.enqueued) await request.release();
  if (record.enqueued) takeAsSent(real);
  // Somebody had received and lost it, or completed it.
  if (queue.current === 0) real.queue.length = 0;
  if (record.status === 'completed') completeWithWatch(real);
}

/** The table does not answer: only the message is left of the event. */
async function requestInOutage(real: RealLifecycle): Promise<void> {
  const insert = real.store.insert;
  real.store.insert = async () => {
    throw new DependencyError('dynamodb', 'not available', { outcome: 'not_applied' });
  };
  const request = await startRequest(real);
  await request.release();
  await request.release();
  real.store.insert = insert;
}

/** As the sweeper leaves an arrival that nobody has claimed. */
function takeAsSent(real: RealLifecycle): void {
  const now = real.clock.now();
  const set = { enqueuedAt: now, watchShard: watchShardOf(PK), watchAt: now };
  real.database.write({ kind: 'update', table: EVENTS, key: { pk: PK }, set });
}

/** Completed, with a watch that nobody removed: an item of an older version. */
function completeWithWatch(real: RealLifecycle): void {
  const now = real.clock.now();
  real.database.write({
    kind: 'update',
    table: EVENTS,
    key: { pk: PK },
    set: {
      status: 'completed',
      completedAt: now,
      expiresAt: Math.floor(now / 1_000) + 86_400,
      watchShard: watchShardOf(PK),
      watchAt: now,
    },
  });
  real.database.write({ kind: 'update', table: EFFECTS, key: { id: 'gen 1' }, add: { times: 1 } });
}
