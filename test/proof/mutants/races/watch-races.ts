/** Writes of the watch that arrive late: ingest's note that nothing was sent, the sweeper's, the audit's. */
import { LOCAL_TIMINGS } from '#core/config/defaults.ts';
import { watchShardOf } from '#core/inbound/protocol/event-writes.ts';
import { MINUTE_MS, SECOND_MS } from '#core/time.ts';
import type { MemoryWorld } from '#test/kit/memory-world.ts';
import { handlerThat } from '#test/proof/journeys/support/handlers.ts';
import { slowRequest } from '../scenarios.ts';
import {
  busy,
  calm,
  calmWorld,
  DELIVERY,
  first,
  forever,
  inDeadQueue,
  mortalWorld,
  type Race,
  race,
  restore,
  unless,
  until,
} from './race.ts';

/** A watch that an older build left on a finished death is taken away while the event dies again. */
const aWatchLeftFromAnOlderDeath: Race = async () => {
  let sends = 0;
  const { world } = mortalWorld({
    planOf: role => call =>
      role === 'process' && call.name === 'dead.send' && ++sends === 2 ? 'crash_before' : undefined,
  });
  await world.post(DELIVERY);
  world.start();
  await world.settle();
  const before = world.item('a');
  if (!before) throw new Error('the event has no record');
  restore(world, { ...before, watchShard: watchShardOf(before.pk), watchAt: world.clock.now() });
  const redriven = async (): Promise<void> => {
    world.dead.startMessageMoveTask(world.main);
    await until(world, () => sends === 2);
    world.mapping.disable();
    world.main.purge();
  };
  const raced = await race(first('unwatch'), redriven, () => forever(world));
  world.stop();
  return [...raced, ...unless(inDeadQueue(world), 'I2 the second death is not watched, and never came into the DLQ')];
};

/** Ingest could not send, and says so late. */
function unsentWorld(): MemoryWorld {
  let sends = 0;
  return calmWorld({
    planOf: role => call => (role === 'ingest' && call.name === 'queue.send' && ++sends === 1 ? 'error' : undefined),
  });
}

const calledUnsentAfterItEnded: Race = async () => {
  const world = unsentWorld();
  const sentByADuplicate = async (): Promise<void> => {
    await world.clock.sleep(6 * SECOND_MS);
    await world.deliver(DELIVERY);
    await until(world, () => world.item('a')?.status === 'completed');
  };
  const raced = await race(first('watchUnsent'), sentByADuplicate, async () => {
    world.mapping.enable();
    await world.post(DELIVERY);
    await world.clock.advanceBy(30 * SECOND_MS);
  });
  world.stop();
  const { watchAt } = world.item('a') ?? {};
  return [...raced, ...unless(watchAt === undefined, 'I8 an event that has ended is watched')];
};

const calledUnsentAfterItWasSent: Race = async () => {
  const world = unsentWorld();
  const swept = () => until(world, () => world.item('a')?.enqueuedAt !== undefined);
  const raced = await race(first('watchUnsent'), swept, async () => {
    world.start();
    world.mapping.disable();
    await world.post(DELIVERY);
    await world.clock.complete(swept());
    await world.clock.advanceBy(2 * SECOND_MS);
  });
  world.stop();
  const { enqueuedAt = 0, watchAt = 0 } = world.item('a') ?? {};
  return [...raced, ...unless(watchAt > enqueuedAt, 'what the sweeper has just sent is due at once')];
};

/** Died in its first attempt: processing, with its first copy set aside and the lease over. */
async function abandoned(resendLimit: number): Promise<{ world: MemoryWorld; takeOver: () => Promise<void> }> {
  let commits = 0;
  const world = calmWorld({
    timings: { ...LOCAL_TIMINGS, resendLimit },
    handlers: handlerThat(({ nth }) => (nth === 1 ? undefined : busy(world, 8 * SECOND_MS))),
    planOf: role => call =>
      role === 'process' && call.name === 'store.transact' && ++commits === 1 ? 'crash_before' : undefined,
  });
  await world.post(DELIVERY);
  const copy = world.main.dump()[0]?.body ?? '';
  world.start();
  await world.clock.complete(until(world, () => commits === 1));
  world.mapping.disable();
  world.main.purge();
  const takeOver = async (): Promise<void> => {
    // The sweeper may have sent a copy of its own; the first one takes the event over without a new watch.
    // The purge goes on for a minute.
    await world.clock.sleep(5 * SECOND_MS);
    for (const { receipt } of world.main.receive(10)) world.main.delete(receipt);
    world.mapping.enable();
    world.main.send(copy, { groupId: 'default' });
    await until(world, () => world.item('a')?.attempts === 2);
  };
  return { world, takeOver };
}

const givenUpAfterATakeover: Race = async () => {
  const { world, takeOver } = await abandoned(0);
  const raced = await race(first('dieUnclaimed'), takeOver, () => forever(world));
  world.stop();
  const { status } = world.item('a') ?? {};
  return [...raced, ...unless(status === 'completed', `I5 what its next owner was running became ${status}`)];
};

const countedAfterATakeover: Race = async () => {
  const { world, takeOver } = await abandoned(24);
  let counted: number | undefined;
  const raced = await race(first('countResend'), takeOver, async () => {
    await world.clock.complete(until(world, () => world.item('a')?.attempts === 2));
    await world.clock.advanceBy(3 * SECOND_MS);
    counted = world.item('a')?.resends;
    await forever(world);
  });
  world.stop();
  return [...raced, ...unless(counted === 0, `I12 a claim does not begin the count anew: ${counted}`)];
};

const givenUpAfterAnotherAttempt: Race = async () => {
  const world = calmWorld({
    timings: { ...LOCAL_TIMINGS, resendLimit: 0 },
    retry: { attempts: 5, baseSeconds: 20, capSeconds: 20 },
    handlers: handlerThat(({ nth }) => (nth < 3 ? Promise.reject(new Error('not yet')) : undefined)),
  });
  await world.post(DELIVERY);
  const copy = world.main.dump()[0]?.body ?? '';
  world.start();
  await world.clock.complete(until(world, () => world.item('a')?.status === 'failed'));
  world.mapping.disable();
  world.main.purge();
  const failsAgain = async (): Promise<void> => {
    // The purge goes on for a minute, and may take this message with it.
    await world.clock.sleep(5 * SECOND_MS);
    world.mapping.enable();
    world.main.send(copy, { groupId: 'default' });
    await until(world, () => world.item('a')?.status === 'failed' && world.item('a')?.attempts === 2);
  };
  const raced = await race(first('dieUnclaimed'), failsAgain, () => forever(world));
  world.stop();
  const { status } = world.item('a') ?? {};
  return [...raced, ...unless(status === 'completed', `I12 an event with attempts left is ${status}`)];
};

/** A write that watches an event arrives when the event has ended: nothing would take that watch away. */
async function watchAfterItEnded(world: MemoryWorld, write: string, begins: () => unknown): Promise<readonly string[]> {
  const hasEnded = (): Promise<void> => until(world, () => world.item('a')?.status === 'completed');
  const ends = async (): Promise<void> => {
    await begins();
    await hasEnded();
  };
  let watchAt: number | undefined;
  const raced = await race(first(write), ends, async () => {
    await world.clock.complete(hasEnded());
    await world.clock.advanceBy(2 * SECOND_MS);
    watchAt = world.item('a')?.watchAt;
  });
  world.stop();
  return [...raced, ...unless(watchAt === undefined, 'I8 an event that has ended is watched')];
}

const sweptAfterItEnded: Race = async () => {
  const world = calmWorld();
  await world.post(DELIVERY);
  world.start();
  world.mapping.disable();
  return watchAfterItEnded(world, 'markSwept', () => world.mapping.enable());
};

const foundByTheAuditAfterItEnded: Race = async () => {
  const world = slowRequest(5 * MINUTE_MS, calm());
  world.start();
  await world.post({ ...DELIVERY, id: 'b' });
  await world.post(DELIVERY);
  await world.clock.advanceBy(55 * MINUTE_MS);
  return watchAfterItEnded(world, 'rewatch', () => world.deliver(DELIVERY));
};

export const WATCH_RACES = {
  aWatchLeftFromAnOlderDeath,
  calledUnsentAfterItEnded,
  calledUnsentAfterItWasSent,
  givenUpAfterATakeover,
  countedAfterATakeover,
  givenUpAfterAnotherAttempt,
  sweptAfterItEnded,
  foundByTheAuditAfterItEnded,
} satisfies Readonly<Record<string, Race>>;
