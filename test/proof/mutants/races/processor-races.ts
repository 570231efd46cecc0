/** Writes of a processor that arrive late: outcomes of owners whose lease is over, deaths, copies of newer generations. */
import { busy as askAgain, defer, done, type Outcome, PermanentError } from '#core/handler/handler-contract.ts';
import type { EventUpdate } from '#core/inbound/ports.ts';
import { MINUTE_MS, SECOND_MS } from '#core/time.ts';
import type { MemoryWorld } from '#test/kit/memory-world.ts';
import { handlerThat } from '#test/proof/journeys/support/handlers.ts';
import {
  ask,
  busy,
  calmWorld,
  DELIVERY,
  diesAgain,
  first,
  forever,
  inDeadQueue,
  mortalWorld,
  type Race,
  race,
  restore,
  reused,
  unless,
  until,
} from './race.ts';

/** An owner whose lease is over records its outcome while the next owner is at work. */
const lateOwner =
  (write: string, outcome: (world: MemoryWorld) => Promise<Outcome>): Race =>
  async () => {
    let runs = 0;
    const world = calmWorld({
      handlers: handlerThat(({ nth }) => {
        runs = nth;
        return nth === 1 ? outcome(world) : busy(world, 3 * SECOND_MS);
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

/** A record that a newer build wrote, met by this one. */
const aNewerRecord =
  (paused: boolean): Race =>
  async () => {
    const world = calmWorld();
    await world.post(DELIVERY);
    restore(world, { ...world.item('a'), schemaVersion: 2 });
    if (paused) await world.clock.complete(world.pause('default', true));
    world.mapping.enable();
    await world.clock.advanceBy(MINUTE_MS);
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

const transacting = (): MemoryWorld => calmWorld({ handlers: handlerThat(() => undefined, { onlyTransacts: true }) });

/** A handler ran without a claim, and its completion arrives after something happened to the record. */
const lateUnclaimed =
  (meanwhile: (world: MemoryWorld) => Promise<unknown>, judge: (world: MemoryWorld) => readonly string[]): Race =>
  async () => {
    const world = transacting();
    const raced = await race(
      first('finishUnclaimed'),
      () => meanwhile(world),
      async () => {
        await world.post(DELIVERY);
        world.start();
        await forever(world, 10 * MINUTE_MS);
      },
    );
    world.stop();
    return [...raced, ...judge(world)];
  };

const anUnclaimedFinishAfterAnother = lateUnclaimed(
  // Its message is visible again: another delivery claims and completes.
  world => until(world, () => world.item('a')?.status === 'completed'),
  world => unless(world.effects('a') === 1, `I5 ${world.effects('a')} effects of one generation`),
);

const anUnclaimedFinishAfterAReplay = lateUnclaimed(
  world => world.clock.sleep(5 * SECOND_MS).then(() => world.replay('a', ask('r'))),
  world => {
    const { attempts, recentAttempts, startedAt = 0, replayedAt = 0 } = world.item('a') ?? {};
    return [
      ...unless(startedAt >= replayedAt, 'I5 a run from before the replay finished the generation after it'),
      ...unless(attempts === 1 && recentAttempts?.length === 1, `I9 ${attempts} attempts after the replay`),
    ];
  },
);

/** A restored table forgot the record, and the provider delivered other bytes under the same id. */
const anUnclaimedFinishOfAnotherDelivery: Race = async () => {
  const world = transacting();
  await world.post(DELIVERY);
  restore(world, { ...world.item('a'), ingestId: 'another', bodySha: 'f'.repeat(64) });
  world.start();
  await forever(world);
  world.stop();
  const { status } = world.item('a') ?? {};
  return unless(status === 'dead_letter', `the body of another delivery made the event ${status}`);
};

const aNewerRecordIsNotFinished: Race = async () => {
  const world = transacting();
  await world.post(DELIVERY);
  restore(world, { ...world.item('a'), schemaVersion: 2 });
  world.mapping.enable();
  await world.clock.advanceBy(MINUTE_MS);
  world.stop();
  const { status } = world.item('a') ?? {};
  return unless(status === 'pending', `a record of a newer build became ${status}`);
};

export const PROCESSOR_RACES = {
  anUnclaimedFinishAfterAnother,
  anUnclaimedFinishAfterAReplay,
  anUnclaimedFinishOfAnotherDelivery,
  aNewerRecordIsNotFinished,
  aFinishOfALateOwner: lateOwner('finish', () => Promise.resolve(done())),
  aRetryOfALateOwner: lateOwner('retrySoon', () => Promise.reject(new Error('not yet'))),
  aLongRetryOfALateOwner: lateOwner('retryLater', () => Promise.resolve(askAgain(90, 'asked'))),
  aDeferralOfALateOwner: lateOwner('asDeferral', world => Promise.resolve(defer(world.clock.now() + 30_000, 'order'))),
  aDeathOfALateOwner: lateOwner('die', () => Promise.reject(new PermanentError('broken'))),
  aNoteOfAnOlderDeath,
  aNewerRecordIsNotRun: aNewerRecord(false),
  aNewerRecordIsNotParked: aNewerRecord(true),
  caughtUpAfterItCompleted,
  caughtUpAfterAnother,
} satisfies Readonly<Record<string, Race>>;
