/** The base journeys: each goes through another part of the protocol, and each is run with a fault at every call. */

import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { busy, defer, PermanentError } from '#core/handler/handler-contract.ts';
import { MINUTE_MS } from '#core/time.ts';
import { generic } from '#providers/generic.ts';
import { outages } from '#test/kit/memory/faults.ts';
import type { WorldOptions } from '#test/kit/memory-world.ts';
import type { Journey, Stage } from './crash-run.ts';
import { handlerThat } from './handlers.ts';
import { noise } from './noise.ts';

const ID = 'evt_1';
const START = 1_767_571_200_000;
/** A command that froze carries itself out later; the pause of this journey lasts longer than that. */
const LONGER_THAN_A_STALL_MS = 5 * MINUTE_MS;
const ASK = { replayId: 'replay-1', by: 'test', why: 'test' };

/** A handler that refuses for good until somebody fixes it. */
function brokenUntilFixed(): { options: WorldOptions; fix: () => void } {
  let fixed = false;
  return {
    options: { handlers: handlerThat(() => (fixed ? undefined : Promise.reject(new PermanentError('broken')))) },
    fix: () => {
      fixed = true;
    },
  };
}

const deliverOne = (stage: Stage): Promise<void> => stage.post({ id: ID });
const isAtRest = (stage: Stage): boolean => stage.item(ID)?.expiresAt !== undefined;
const isDeadInQueue = (stage: Stage): boolean => stage.item(ID)?.dlqSent === true;

/** An event the provider gave up on may never have been recorded; an event that is there must have ended so. */
function ended(status: string, more: Readonly<Record<string, unknown>> = {}): NonNullable<Journey['expect']> {
  return stage => {
    const item = stage.item(ID);
    if (item === undefined) return stage.world.acknowledged.size > 0 ? [`I2 ${ID} has no record`] : [];
    const wanted = Object.entries({ status, ...more });
    const found = item as unknown as Readonly<Record<string, unknown>>;
    return wanted
      .filter(([name, value]) => found[name] !== value)
      .map(([name, value]) => `end: ${name} is ${found[name]}, not ${value}`);
  };
}

const happy: Journey = { name: 'happy path', newGateway: true, play: deliverOne, expect: ended('completed') };

const lateDuplicates: Journey = {
  name: 'duplicates at once and late',
  play: async stage => {
    const delivery = { id: ID, createdAt: START };
    await stage.world.clock.complete(Promise.all([1, 2, 3].map(() => stage.deliver(delivery))));
    await stage.world.clock.advanceBy(90_000);
    await stage.post(delivery);
  },
  expect: ended('completed'),
};

const retried: Journey = {
  name: 'a handler that fails, then succeeds',
  world: () => ({
    handlers: handlerThat(({ nth }) => (nth === 1 ? Promise.reject(new Error('try again')) : undefined)),
  }),
  play: deliverOne,
  expect: ended('completed'),
};

const parked: Journey = {
  name: 'a retry longer than the queue can wait',
  world: () => ({ handlers: handlerThat(({ nth }) => (nth === 1 ? Promise.resolve(busy(90, 'asked')) : undefined)) }),
  play: deliverOne,
  expect: ended('completed'),
};

const deferred: Journey = {
  name: 'a handler that waits for another event',
  world: () => ({
    handlers: handlerThat(({ nth, world }) =>
      nth === 1 ? Promise.resolve(defer(world.clock.now() + 20_000, 'order')) : undefined,
    ),
  }),
  play: deliverOne,
  expect: ended('completed'),
};

const onlyTransacts = { onlyTransacts: true } as const;
const completedOnce: NonNullable<Journey['expect']> = stage => [
  ...ended('completed')(stage),
  ...(stage.item(ID) && stage.world.effects(ID) !== 1 ? [`I5 ${ID} has ${stage.world.effects(ID)} effects`] : []),
];

const unclaimed: Journey = {
  name: 'a first delivery without a claim, and duplicates',
  world: () => ({ handlers: handlerThat(() => undefined, onlyTransacts) }),
  play: async stage => {
    const delivery = { id: ID, createdAt: START };
    await stage.world.clock.complete(Promise.all([1, 2].map(() => stage.deliver(delivery))));
    await stage.world.clock.advanceBy(90_000);
    await stage.post(delivery);
  },
  expect: completedOnce,
};

const unclaimedFails: Journey = {
  name: 'a first delivery without a claim that fails',
  world: () => ({
    handlers: handlerThat(({ nth }) => (nth === 1 ? Promise.reject(new Error('again')) : undefined), onlyTransacts),
  }),
  play: deliverOne,
  expect: completedOnce,
};

const unclaimedReplayed: Journey = {
  name: 'a first delivery without a claim, replayed',
  world: () => ({ handlers: handlerThat(() => undefined, onlyTransacts) }),
  play: async stage => {
    await deliverOne(stage);
    await stage.insist(() => stage.world.replay(ID, ASK));
    await stage.until(() => isAtRest(stage));
  },
  runs: { [ID]: 2 },
  expect: ended('completed'),
};

const dying: Journey = {
  name: 'a permanent error',
  world: () => brokenUntilFixed().options,
  play: deliverOne,
  expect: ended('dead_letter', { dlqSent: true, cause: 'permanent' }),
};

const spent: Journey = {
  name: 'a handler that always fails',
  world: () => ({
    retry: { attempts: 2, baseSeconds: 1, capSeconds: 2 },
    handlers: handlerThat(() => Promise.reject(new Error('never'))),
  }),
  play: deliverOne,
  expect: ended('dead_letter', { dlqSent: true }),
};

const paused: Journey = {
  name: 'pause and resume',
  play: async stage => {
    await stage.insist(() => stage.world.pause('default', true));
    await stage.world.clock.advanceBy(2_000);
    await deliverOne(stage);
    await stage.world.clock.advanceBy(LONGER_THAN_A_STALL_MS);
    await stage.insist(() => stage.world.pause('default', false));
  },
  expect: ended('completed'),
};

const replayedDone: Journey = {
  name: 'replay of a completed event',
  runs: { [ID]: 2 },
  play: async stage => {
    await deliverOne(stage);
    if (!(await stage.until(() => isAtRest(stage)))) return;
    await stage.insist(() => stage.world.replay(ID, ASK));
    await stage.insist(() => stage.world.replay(ID, ASK));
    await stage.until(() => isAtRest(stage));
    await stage.insist(() => stage.world.replay(ID, ASK));
  },
  expect: stage =>
    stage.item(ID)
      ? [
          ...(ended('completed', { gen: 2, run: 2 })(stage) ?? []),
          ...(stage.world.effects(ID) === 2 ? [] : ['I5 not two runs']),
        ]
      : [],
};

const replayedDead: Journey = (() => {
  let fix = (): void => {};
  return {
    name: 'replay of a dead event',
    world: () => {
      const broken = brokenUntilFixed();
      fix = broken.fix;
      return broken.options;
    },
    play: async (stage: Stage) => {
      await deliverOne(stage);
      if (!(await stage.until(() => isDeadInQueue(stage)))) return;
      fix();
      await stage.insist(() => stage.world.replay(ID, ASK));
      await stage.insist(() => stage.world.replay(ID, ASK));
    },
    expect: (stage: Stage) => [
      ...(ended('completed', stage.item(ID) ? { gen: 2, run: 1 } : {})(stage) ?? []),
      ...(stage.world.dead.dump().length === 0 ? [] : ['I7 the DLQ keeps the message of a replayed event']),
    ],
  };
})();

const redriven: Journey = (() => {
  let fix = (): void => {};
  return {
    name: 'redrive from the DLQ',
    world: () => {
      const broken = brokenUntilFixed();
      fix = broken.fix;
      return broken.options;
    },
    play: async (stage: Stage) => {
      await deliverOne(stage);
      const inQueue = (): boolean => isDeadInQueue(stage) && stage.world.dead.numbers().visible > 0;
      if (!(await stage.until(inQueue))) return;
      fix();
      stage.world.dead.startMessageMoveTask(stage.world.main);
    },
    expect: ended('completed', { gen: 1, run: 1 }),
  };
})();

function outageOf(...dependencies: readonly ('dynamodb' | 's3')[]): WorldOptions {
  const windows = dependencies.map(dependency => ({
    dependency,
    from: START,
    to: START + 40_000,
    fault: 'error' as const,
  }));
  return { plan: outages(windows, new SeededRandom(1)) };
}

const unrecorded: Journey = {
  name: 'an outage of DynamoDB',
  world: () => outageOf('dynamodb'),
  play: deliverOne,
  expect: ended('completed'),
};

const BIG = { noise: noise(1_000) };
const deliverBig = (stage: Stage): Promise<void> => stage.post({ id: ID, data: BIG });
const large: Journey = {
  name: 'a large body',
  world: () => ({ inlineLimitBytes: 400 }),
  play: deliverBig,
  expect: ended('completed'),
};
const largeUnrecorded: Journey = {
  name: 'a large body in an outage of DynamoDB',
  world: () => ({ ...outageOf('dynamodb'), inlineLimitBytes: 400 }),
  play: deliverBig,
  expect: ended('completed'),
};
const largeNowhere: Journey = {
  name: 'a large body in an outage of DynamoDB and S3',
  world: () => ({ ...outageOf('dynamodb', 's3'), inlineLimitBytes: 400 }),
  play: deliverBig,
  expect: ended('completed'),
};

const CHILDREN = ['child_1', 'child_2', 'child_3'];
const batch: Journey = {
  name: 'a request with three events',
  world: () => ({ source: { spec: { ...generic, identity: { ...generic.identity, items: 'events[]' } } } }),
  play: stage => {
    const events = CHILDREN.map(event_id => ({ event_id, event_type: 'child' }));
    return stage.post({ id: 'request', rawBody: JSON.stringify({ events }) });
  },
  expect: stage => {
    const items = stage.world.items();
    if (items.length === 0) return [];
    return CHILDREN.flatMap(id =>
      stage.world.effects(id) === 1 ? [] : [`I5 ${id} had ${stage.world.effects(id)} effects`],
    );
  },
};

const anonymous: Journey = {
  name: 'an event without identity',
  world: () => ({ source: { spec: { ...generic, identity: { key: [['none']], type: ['json:event_type'] } } } }),
  play: deliverOne,
};

const mismatch: Journey = {
  name: 'one id with two bodies',
  play: async stage => {
    const first = stage.deliver({ id: ID, data: { n: 1 } });
    const second = stage.deliver({ id: ID, data: { n: 2 } });
    await stage.world.clock.complete(Promise.all([first, second]));
  },
  expect: ended('completed'),
};

/** Too many calls for a fault at each of them in every run. */
export const FIFTY_AT_ONCE: Journey = {
  name: 'fifty identical requests at once',
  play: async stage => {
    const delivery = { id: ID, createdAt: START };
    await stage.world.clock.complete(Promise.all(Array.from({ length: 50 }, () => stage.deliver(delivery))));
  },
  expect: ended('completed'),
};

export const JOURNEYS: readonly Journey[] = [
  happy,
  lateDuplicates,
  retried,
  parked,
  deferred,
  unclaimed,
  unclaimedFails,
  unclaimedReplayed,
  dying,
  spent,
  paused,
  replayedDone,
  replayedDead,
  redriven,
  unrecorded,
  large,
  largeUnrecorded,
  largeNowhere,
  batch,
  anonymous,
  mismatch,
];
