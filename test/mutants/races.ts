/**
 * Whole runs in which one write of the protocol arrives late, and something honest happened to its record meanwhile: the
 * story each condition of that write is there for. Each answers what is wrong, or nothing.
 */
import { MemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { LOCAL_TIMINGS } from '#core/config/defaults.ts';
import { watchShardOf } from '#core/inbound/event-writes.ts';
import { defer, done, type Outcome, PermanentError, retryAfter } from '#core/inbound/handler-contract.ts';
import type { EventUpdate } from '#core/ports.ts';
import { handlerThat } from '#test/journeys/support/handlers.ts';
import { EVENTS, MemoryWorld, type WorldOptions } from '#test/support/memory-world.ts';
import { slowRequest } from './scenarios.ts';
import { writeOf } from './write-leaves.ts';

type Race = () => Promise<readonly string[]>;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DELIVERY = { id: 'a', createdAt: 1_767_571_200_000 };

const unless = (fine: boolean, complaint: string): string[] => (fine ? [] : [complaint]);
const ask = (replayId: string) => ({ replayId, by: 'test', why: 'test' });

function calm(options: WorldOptions = {}): WorldOptions {
  const timings = { ...LOCAL_TIMINGS, ...options.timings };
  const queue = { duplicateRate: 0, visibilitySeconds: 20 };
  return { idleMs: 1_000, ...options, timings, queue, deadQueue: { duplicateRate: 0 } };
}
const calmWorld = (options: WorldOptions = {}): MemoryWorld => new MemoryWorld(calm(options));

/** A handler at work, which then goes on as usual: it has answered nothing. */
const busy = (world: MemoryWorld, ms: number): Promise<never> => world.clock.sleep(ms).then(() => undefined as never);

/** Waits, while others drive the clock. */
async function until(world: MemoryWorld, holds: () => boolean): Promise<void> {
  for (let n = 0; n < 600; n++) {
    if (holds()) return;
    await world.clock.sleep(SECOND);
  }
  throw new Error('the race did not come about');
}

/** Holds back the first write that is meant until `meanwhile` is over, as a slow network would. */
async function race(
  isMeant: (update: EventUpdate) => boolean,
  meanwhile: () => Promise<unknown>,
  play: () => Promise<unknown>,
): Promise<readonly string[]> {
  const { update, transact } = MemoryEventStore.prototype;
  let stage: 'before' | 'meanwhile' | 'written' = 'before';
  const held = async <T>(given: EventUpdate, write: () => Promise<T>): Promise<T> => {
    if (stage !== 'before' || !isMeant(given)) return write();
    stage = 'meanwhile';
    await meanwhile();
    const written = await write();
    stage = 'written';
    return written;
  };
  MemoryEventStore.prototype.update = function (given) {
    return held(given, () => update.call(this, given));
  };
  MemoryEventStore.prototype.transact = function (given, ...rest) {
    return held(given, () => transact.call(this, given, ...rest));
  };
  try {
    await play();
  } finally {
    Object.assign(MemoryEventStore.prototype, { update, transact });
  }
  return unless((stage as string) === 'written', `the race did not come about: ${stage}`);
}

const first = (write: string) => (update: EventUpdate) => writeOf(update) === write;
const forever = (world: MemoryWorld, ms = 5 * MINUTE): Promise<void> => world.clock.advanceBy(ms);
const keysOf = (world: MemoryWorld): readonly string[] => world.outside.map(({ key }) => key);

/** Keys of runs that completed must differ: a provider would take the second for a repetition of the first. */
const reused = (world: MemoryWorld, runs: number): string[] => {
  const keys = keysOf(world);
  return unless(keys.length === runs && new Set(keys).size === runs, `I6 ${runs} runs called outside as ${keys}`);
};

/** A table restored to an older point, or written by another build: the record is so, the messages stay. */
function restore(world: MemoryWorld, item: Readonly<Record<string, unknown>>): void {
  world.database.write({ kind: 'put', table: EVENTS, item: { ...item } });
}

/** An owner whose lease is over records its outcome while the next owner is at work. */
const lateOwner =
  (write: string, outcome: (world: MemoryWorld) => Promise<Outcome>): Race =>
  async () => {
    let runs = 0;
    const world = calmWorld({
      handlers: handlerThat(({ nth }) => {
        runs = nth;
        return nth === 1 ? outcome(world) : busy(world, 3 * SECOND);
      }),
    });
    const secondRuns = () => until(world, () => world.item('a')?.attempts === 2);
    const raced = await race(first(write), secondRuns, async () => {
      await world.post(DELIVERY);
      world.start();
      await forever(world);
    });
    world.stop();
    const { status } = world.item('a') ?? {};
    const effects = world.effects('a');
    return [
      ...raced,
      ...unless(
        status === 'completed' && runs === 2 && effects === 1,
        `I5 the second owner was disturbed: ${status}, ${runs} runs, ${effects} effects`,
      ),
    ];
  };

/** A world in which everything dies, and its first death is in the DLQ. */
function mortalWorld(options: WorldOptions = {}): { world: MemoryWorld; runs: () => number } {
  let runs = 0;
  const handlers = handlerThat(() => {
    runs += 1;
    return Promise.reject(new PermanentError('broken'));
  });
  return { world: calmWorld({ handlers, ...options }), runs: () => runs };
}
const diesAgain = async (world: MemoryWorld): Promise<void> => {
  const before = world.item('a')?.deadId;
  await world.replay('a', ask('again'));
  await until(world, () => world.item('a')?.status === 'dead_letter' && world.item('a')?.deadId !== before);
};

const aNoteOfAnOlderDeath: Race = async () => {
  let sends = 0;
  const { world } = mortalWorld({
    planOf: role => call => (role === 'process' && call.name === 'dead.send' && ++sends === 2 ? 'error' : undefined),
  });
  const raced = await race(
    first('deathDone'),
    () => diesAgain(world),
    async () => {
      await world.post(DELIVERY);
      world.start();
      await forever(world);
    },
  );
  world.stop();
  return [
    ...raced,
    ...unless(inDeadQueue(world), 'I2 the second death is taken for the first, and was never put into the DLQ'),
  ];
};

const aRedriveOfAnOlderDeath: Race = async () => {
  const { world, runs } = mortalWorld();
  await world.post(DELIVERY);
  world.start();
  await world.settle();
  const raced = await race(
    first('revive'),
    () => diesAgain(world),
    async () => {
      world.dead.startMessageMoveTask(world.main);
      await forever(world);
    },
  );
  world.stop();
  return [...raced, ...unless(runs() === 2, `I4 a redrive of the first death ran the second: ${runs()} runs`)];
};

const aParkedRedriveOfAnOlderDeath: Race = async () => {
  const { world } = mortalWorld();
  await world.post(DELIVERY);
  world.start();
  await world.settle();
  await world.clock.complete(world.pause('default', true));
  const resumedAndDeadAgain = async (): Promise<void> => {
    await world.pause('default', false);
    await world.clock.sleep(3 * SECOND);
    await diesAgain(world);
    world.stop();
  };
  const raced = await race(first('reviveParked'), resumedAndDeadAgain, async () => {
    world.dead.startMessageMoveTask(world.main);
    await forever(world);
  });
  const { status } = world.item('a') ?? {};
  return [
    ...raced,
    ...unless(status === 'dead_letter', `I4 a redrive of the first death parked the second: ${status}`),
  ];
};

const inDeadQueue = (world: MemoryWorld): boolean => {
  const deadId = world.item('a')?.deadId ?? 'none';
  return world.dead.dump().some(({ body }) => body.includes(deadId));
};

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

/** A record that a newer build wrote, met by this one. */
const aNewerRecord =
  (paused: boolean): Race =>
  async () => {
    const world = calmWorld();
    await world.post(DELIVERY);
    restore(world, { ...world.item('a'), schemaVersion: 2 });
    if (paused) await world.clock.complete(world.pause('default', true));
    world.mapping.enable();
    await world.clock.advanceBy(MINUTE);
    world.stop();
    const { status } = world.item('a') ?? {};
    return unless(status === 'pending', `a record of a newer build became ${status}`);
  };

const caughtUpAfterItCompleted: Race = async () => {
  const world = calmWorld();
  await world.post(DELIVERY);
  const older = world.item('a');
  await world.clock.complete(world.replay('a', ask('r')));
  restore(world, { ...older });
  const firstEnds = () => until(world, () => world.item('a')?.status === 'completed');
  const raced = await race(first('catchUp'), firstEnds, async () => {
    world.start();
    await forever(world);
  });
  world.stop();
  return [...raced, ...reused(world, 2)];
};

const caughtUpAfterAnother: Race = async () => {
  const world = calmWorld();
  await world.post(DELIVERY);
  world.start();
  await world.settle();
  world.mapping.disable();
  const older = world.item('a');
  for (const id of ['r', 's']) await world.clock.complete(world.replay('a', ask(id)));
  restore(world, { ...older });
  const isLast = (update: EventUpdate): boolean => first('catchUp')(update) && update.set.gen === 3;
  const secondEnds = () => until(world, () => world.item('a')?.status === 'completed' && world.item('a')?.gen === 2);
  const raced = await race(isLast, secondEnds, async () => {
    world.mapping.enable();
    await forever(world);
  });
  world.stop();
  return [...raced, ...reused(world, 3)];
};

const markedAfterItEnded: Race = async () => {
  const world = calmWorld();
  await world.post(DELIVERY);
  world.start();
  await world.settle();
  const ended = () => until(world, () => world.item('a')?.gen === 2 && world.item('a')?.status === 'completed');
  const raced = await race(first('markEnqueued'), ended, async () => {
    await world.clock.complete(world.replay('a', ask('r')));
  });
  world.stop();
  const { enqueuedAt } = world.item('a') ?? {};
  return [...raced, ...unless(enqueuedAt === undefined, 'an event is queued after it has ended, says its history')];
};

const markedForAnotherReplay: Race = async () => {
  let sends = 0;
  const world = calmWorld({
    planOf: role => call =>
      role === 'operator' && call.name === 'queue.send' && ++sends === 2 ? 'crash_before' : undefined,
  });
  await world.post(DELIVERY);
  const another = () => world.replay('a', ask('s'));
  const raced = await race(first('markEnqueued'), another, async () => {
    await world.clock.complete(world.replay('a', ask('r')));
  });
  const { gen, enqueuedAt } = world.item('a') ?? {};
  return [
    ...raced,
    ...unless(gen === 3 && enqueuedAt === undefined, `generation ${gen} is marked as sent, and nobody sent it`),
  ];
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
    await world.clock.sleep(6 * SECOND);
    await world.deliver(DELIVERY);
    await until(world, () => world.item('a')?.status === 'completed');
  };
  const raced = await race(first('watchUnsent'), sentByADuplicate, async () => {
    world.mapping.enable();
    await world.post(DELIVERY);
    await world.clock.advanceBy(30 * SECOND);
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
    await world.clock.advanceBy(2 * SECOND);
  });
  world.stop();
  const { enqueuedAt = 0, watchAt = 0 } = world.item('a') ?? {};
  return [...raced, ...unless(watchAt > enqueuedAt, 'what the sweeper has just sent is due at once')];
};

const replayedAfterAnotherReplay: Race = async () => {
  const world = calmWorld();
  await world.post(DELIVERY);
  world.start();
  await world.settle();
  const another = async (): Promise<void> => {
    await world.replay('a', ask('s'));
    await until(world, () => world.item('a')?.gen === 2 && world.item('a')?.status === 'completed');
  };
  const raced = await race(first('replay'), another, async () => {
    await world.clock.complete(world.replay('a', ask('r')));
    await forever(world);
  });
  world.stop();
  return [...raced, ...reused(world, 2)];
};

const replayedAfterItCompleted: Race = async () => {
  const world = calmWorld();
  await world.post(DELIVERY);
  const completed = async (): Promise<void> => {
    world.start();
    await until(world, () => world.item('a')?.status === 'completed');
  };
  const raced = await race(first('replay'), completed, async () => {
    await world.clock.complete(world.replay('a', ask('r')));
    await forever(world);
  });
  world.stop();
  return [...raced, ...reused(world, 1)];
};

const replayedWhileItRuns: Race = async () => {
  const world = calmWorld({ handlers: handlerThat(() => busy(world, 5 * SECOND)) });
  await world.post(DELIVERY);
  world.mapping.enable();
  await world.clock.complete(until(world, () => world.item('a')?.status === 'processing'));
  const answer = await world.clock.complete(world.replay('a', ask('r')));
  world.stop();
  return unless(answer?.kind === 'refused', `a running event, and no --force: ${answer?.kind}`);
};

/** A job takes what died, whether it was replayed before or not. */
const aJobAfter =
  (replays: number): Race =>
  async () => {
    const { world } = mortalWorld();
    await world.post(DELIVERY);
    world.start();
    await world.settle();
    for (let n = 0; n < replays; n++) {
      await world.clock.complete(world.replay('a', ask(`r${n}`)));
      await world.settle();
    }
    const job = { ...ask('rj-1'), jobCreatedAt: world.clock.now() };
    const answer = await world.clock.complete(world.replay('a', job));
    world.stop();
    return unless(answer?.kind === 'replayed', `a job leaves out what it was asked for: ${answer?.kind}`);
  };

/** Died in its first attempt: processing, with its first copy set aside and the lease over. */
async function abandoned(resendLimit: number): Promise<{ world: MemoryWorld; takeOver: () => Promise<void> }> {
  let commits = 0;
  const world = calmWorld({
    timings: { ...LOCAL_TIMINGS, resendLimit },
    handlers: handlerThat(({ nth }) => (nth === 1 ? undefined : busy(world, 8 * SECOND))),
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
    await world.clock.sleep(5 * SECOND);
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
    await world.clock.advanceBy(3 * SECOND);
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
    await world.clock.advanceBy(2 * SECOND);
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

const foundByTheReconcilerAfterItEnded: Race = async () => {
  const world = slowRequest(5 * MINUTE, calm());
  world.start();
  await world.post({ ...DELIVERY, id: 'b' });
  await world.post(DELIVERY);
  await world.clock.advanceBy(55 * MINUTE);
  return watchAfterItEnded(world, 'rewatch', () => world.deliver(DELIVERY));
};

export const RACES = {
  aFinishOfALateOwner: lateOwner('finish', () => Promise.resolve(done())),
  aRetryOfALateOwner: lateOwner('retrySoon', () => Promise.reject(new Error('not yet'))),
  aLongRetryOfALateOwner: lateOwner('retryLater', () => Promise.resolve(retryAfter(90))),
  aDeferralOfALateOwner: lateOwner('asDeferral', world => Promise.resolve(defer(world.clock.now() + 30_000, 'order'))),
  aDeathOfALateOwner: lateOwner('die', () => Promise.reject(new PermanentError('broken'))),
  aNoteOfAnOlderDeath,
  aRedriveOfAnOlderDeath,
  aParkedRedriveOfAnOlderDeath,
  aWatchLeftFromAnOlderDeath,
  aNewerRecordIsNotRun: aNewerRecord(false),
  aNewerRecordIsNotParked: aNewerRecord(true),
  caughtUpAfterItCompleted,
  caughtUpAfterAnother,
  markedAfterItEnded,
  markedForAnotherReplay,
  calledUnsentAfterItEnded,
  calledUnsentAfterItWasSent,
  replayedAfterAnotherReplay,
  replayedAfterItCompleted,
  replayedWhileItRuns,
  aJobTakesWhatWasNeverReplayed: aJobAfter(0),
  aJobTakesWhatWasReplayedBefore: aJobAfter(1),
  givenUpAfterATakeover,
  countedAfterATakeover,
  givenUpAfterAnotherAttempt,
  sweptAfterItEnded,
  foundByTheReconcilerAfterItEnded,
} satisfies Readonly<Record<string, Race>>;
