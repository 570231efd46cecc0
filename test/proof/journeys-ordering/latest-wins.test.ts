/** Latest wins, through the real functions: whatever the order, the row ends in the state of the newest event. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { Handler } from '#core/handler/handler-contract.ts';
import { latestWins } from '#core/handler/ordering/latest-wins.ts';
import { eventTime } from '#core/handler/ordering/version.ts';
import { HOUR_MS } from '#core/time.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { FAULTS, type FaultPlan } from '#test/kit/memory/faults.ts';
import { EFFECTS, type MemoryWorld, type WorldOptions } from '#test/kit/memory-world.ts';
import { ENTITIES, makeEntityWorld, rowOf } from './entity-world.ts';

interface Change {
  readonly id: string;
  readonly second: number;
  readonly state: { readonly plan?: string; readonly seats: number };
}

const apply: Handler = async (event, context) => {
  const { plan, seats } = (event.payload as { data: Change['state'] }).data;
  const id = event.id.slice(event.id.indexOf('.') + 1);
  return latestWins(event, context, {
    entity: { table: ENTITIES, key: { id: 'sub_1' } },
    version: eventTime(event),
    state: { plan, seats },
    effects: [{ kind: 'update', table: EFFECTS, key: { id }, add: { times: 1 } }],
  });
};

const isAfter = (a: Change, b: Change): boolean => a.second > b.second || (a.second === b.second && a.id > b.id);
const newestOf = (changes: readonly Change[]): Change => changes.reduce((a, b) => (isAfter(b, a) ? b : a));

/** Events of one entity, and an order of arrival with duplicates in which each comes at least once. */
const arrivals = fc
  .uniqueArray(
    fc.record({
      id: fc.constantFrom('e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7', 'e10'),
      // Few seconds for up to seven events: equal times are common.
      second: fc.integer({ min: 0, max: 3 }),
      state: fc.record(
        { plan: fc.constantFrom('small', 'large'), seats: fc.nat(99) },
        { requiredKeys: ['seats'], noNullPrototype: true },
      ),
    }),
    { minLength: 1, maxLength: 7, selector: change => change.id },
  )
  .chain(changes =>
    fc.record({
      changes: fc.constant(changes),
      order: fc
        .array(fc.constantFrom(...changes), { maxLength: 4 })
        .chain(again => fc.shuffledSubarray([...changes, ...again], { minLength: changes.length + again.length })),
    }),
  );

async function play(order: readonly Change[], together: boolean, options: WorldOptions = {}): Promise<MemoryWorld> {
  const world = makeEntityWorld(() => apply, options);
  const startAt = world.clock.now();
  if (!together) world.start();
  for (const { id, second, state } of order) {
    const delivery = { id, data: state, createdAt: startAt + second * 1_000 };
    // An unanswered delivery is the provider's to repeat.
    for (let tries = 0; tries < 20 && (await world.post(delivery))?.status !== 200; tries++) {
      await world.clock.advanceBy(1_000);
    }
    if (!together) await world.clock.advanceBy(5_000);
  }
  if (together) world.start();
  // While the table was down an event may be in the queue alone: settled is what has a record, and owes nothing.
  for (let hour = 0; hour < 48 && !order.every(({ id }) => world.item(id)); hour++)
    await world.clock.advanceBy(HOUR_MS);
  expect(await world.settle()).toBe(true);
  world.stop();
  return world;
}

function judge(world: MemoryWorld, changes: readonly Change[]): void {
  const newest = newestOf(changes);
  const { id: _, version: __, versionEventId, ...state } = rowOf(world, 'sub_1') ?? {};
  expect(versionEventId).toBe(`evt_default.${newest.id}`);
  expect(state).toEqual(newest.state);
  for (const { id } of changes) {
    const item = world.item(id);
    expect(item?.status, id).toMatch(/^(completed|skipped_stale)$/);
    expect(item?.actionTaken, id).toMatch(item?.status === 'completed' ? /^applied version \d+$/ : /version/);
    expect(world.effects(id), id).toBe(item?.status === 'completed' ? 1 : 0);
  }
}

const numRuns = isLongRun() ? 3_000 : 100;

it('ends in the newest state after any order and duplication, one event at a time', async () => {
  await fc.assert(
    fc.asyncProperty(arrivals, async ({ changes, order }) => {
      const world = await play(order, false);
      judge(world, changes);
      // Applied is exactly what was newer than everything before it.
      const first = order.filter((change, at) => order.indexOf(change) === at);
      const applied = first.filter((change, at) => first.slice(0, at).every(earlier => isAfter(change, earlier)));
      const completed = changes.filter(({ id }) => world.item(id)?.status === 'completed').map(({ id }) => id);
      expect(completed.sort()).toEqual(applied.map(({ id }) => id).sort());
    }),
    { numRuns },
  );
});

it('ends in the newest state when all come at once and meet in the table', async () => {
  await fc.assert(
    fc.asyncProperty(arrivals, fc.nat(), async ({ changes, order }, seed) => {
      judge(await play(order, true, { seed, database: { conflictRate: 0.1 } }), changes);
    }),
    { numRuns },
  );
});

it('ends in the newest state when processes die, stall and lose answers on the way', async () => {
  await fc.assert(
    fc.asyncProperty(arrivals, fc.boolean(), fc.nat(), async ({ changes, order }, together, seed) => {
      const random = new SeededRandom(seed);
      const plan: FaultPlan = () => (random.chance(0.05) ? random.pick(FAULTS) : undefined);
      judge(await play(order, together, { seed, plan }), changes);
    }),
    { numRuns },
  );
});

it('ends in the newest state in every order of four events, two of them of one second', async () => {
  const changes: Change[] = [
    { id: 'e1', second: 0, state: { seats: 1 } },
    { id: 'e2', second: 1, state: { seats: 2, plan: 'small' } },
    { id: 'e3', second: 1, state: { seats: 3 } },
    { id: 'e4', second: 2, state: { seats: 4, plan: 'large' } },
  ];
  for (const order of permutations(changes)) judge(await play(order, false), changes);
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map(rest => [item, ...rest]));
}
