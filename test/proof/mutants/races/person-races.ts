/** What a person asked for arrives late: redrives of an older death, replays, and the note that a replay was sent. */
import { SECOND_MS } from '#core/time.ts';
import { handlerThat } from '#test/proof/journeys/support/handlers.ts';
import {
  ask,
  busy,
  calmWorld,
  DELIVERY,
  diesAgain,
  first,
  forever,
  mortalWorld,
  type Race,
  race,
  reused,
  unless,
  until,
} from './race.ts';

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
    await world.clock.sleep(3 * SECOND_MS);
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

const aClosingOfAnOlderDeath: Race = async () => {
  const { world } = mortalWorld();
  await world.post(DELIVERY);
  world.start();
  await world.settle();
  const raced = await race(
    first('close'),
    () => diesAgain(world),
    () => world.clock.complete(world.close('a')),
  );
  world.stop();
  const { status } = world.item('a') ?? {};
  return [...raced, ...unless(status === 'dead_letter', `I4 a death that nobody has read is ${status}`)];
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
  const world = calmWorld({ handlers: handlerThat(() => busy(world, 5 * SECOND_MS)) });
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

export const PERSON_RACES = {
  aRedriveOfAnOlderDeath,
  aParkedRedriveOfAnOlderDeath,
  aClosingOfAnOlderDeath,
  markedAfterItEnded,
  markedForAnotherReplay,
  replayedAfterAnotherReplay,
  replayedAfterItCompleted,
  replayedWhileItRuns,
  aJobTakesWhatWasNeverReplayed: aJobAfter(0),
  aJobTakesWhatWasReplayedBefore: aJobAfter(1),
} satisfies Readonly<Record<string, Race>>;
