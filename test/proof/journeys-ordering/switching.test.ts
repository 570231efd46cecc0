/**
 * A row whose strategy changes, with and without versions, while late events are on their way: the row never goes back to
 * an older state. Where nobody knows which of two states is newer, the event is a dead letter that says so.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Handler, HandlerContext, Outcome, WebhookEvent } from '#core/handler/handler-contract.ts';
import { type Fetched, fetchLatest } from '#core/handler/ordering/fetch-latest.ts';
import { latestWins } from '#core/handler/ordering/latest-wins.ts';
import { stateMachine } from '#core/handler/ordering/state-machine.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import type { MemoryWorld } from '#test/kit/memory-world.ts';
import { becameOf, deliver, ENTITIES, makeEntityWorld, rowOf } from './entity-world.ts';

/** The object of the provider goes through `s1` to `s6`; `n` says how often it changed. */
const STEPS = [1, 2, 3, 4, 5, 6];
const steps = stateMachine({
  initial: ['s1'],
  moves: Object.fromEntries(STEPS.map(n => [`s${n}`, n < 6 ? [`s${n + 1}`] : []])),
});
const GONE = 99;

class Shop {
  /** What the provider would answer now; `GONE`: 404. */
  n = 1;
  strategy: Name = 'latest wins';
  readonly fetcher = {
    fetch: async (id: string): Promise<Fetched<{ n: number }>> =>
      this.n === GONE ? { kind: 'gone' } : { kind: 'found', id, object: { n: this.n } },
  };
}

const entity = { table: ENTITIES, key: { id: 'o_1' } };
type Strategy = (event: WebhookEvent, context: HandlerContext, n: number, shop: Shop) => Promise<Outcome>;
const STRATEGIES = {
  'latest wins': (event, context, n) =>
    latestWins(event, context, { entity, version: n, state: { n, deleted: undefined } }),
  'state machine': (event, context, n) => steps.move(event, context, { entity, to: `s${n}`, state: { n } }),
  'state machine with a version': (event, context, n) =>
    steps.move(event, context, { entity, to: `s${n}`, state: { n }, version: n }),
  'fetch latest': (event, context, _n, { fetcher }) =>
    fetchLatest(event, context, { entity, id: 'o_1', fetcher, toState: ({ n }) => ({ n }) }),
  'fetch latest with a state': (event, context, _n, { fetcher }) =>
    fetchLatest(event, context, { entity, id: 'o_1', fetcher, toState: ({ n }) => ({ n, state: `s${n}` }) }),
  'fetch latest with a version': (event, context, _n, { fetcher }) =>
    fetchLatest(event, context, { entity, id: 'o_1', fetcher, toState: ({ n }) => ({ n }), toVersion: ({ n }) => n }),
} as const satisfies Record<string, Strategy>;
type Name = keyof typeof STRATEGIES;
const NAMES = Object.keys(STRATEGIES) as Name[];

function makeWorld(shop: Shop, between: (world: MemoryWorld) => void = () => {}): MemoryWorld {
  const world = makeEntityWorld(self => async (...[event, context]: Parameters<Handler>) => {
    const { n } = (event.payload as { data: { n: number } }).data;
    const outcome = await STRATEGIES[shop.strategy](event, context, n, shop);
    between(self);
    return outcome;
  });
  world.start();
  return world;
}

/** How new the row is: a deletion is newer than all before it. */
function newnessOf(world: MemoryWorld): number {
  const row = rowOf(world, 'o_1');
  return row?.['deleted'] === true ? GONE : ((row?.['n'] as number | undefined) ?? 0);
}

const happen = (world: MemoryWorld, n: number): Promise<void> => deliver(world, `evt_${n}`, { data: { n } });

const VERSIONLESS = /^dead_letter: .*fetchLatest\(\) wrote the row last/;

describe.each(['fetch latest', 'fetch latest with a state'] as const)('after %s', fetching => {
  it.each(['latest wins', 'state machine with a version'] as const)(
    '%s does not put an older state over the fetched one',
    async next => {
      const shop = new Shop();
      const world = makeWorld(shop);
      for (const before of [next, fetching]) {
        shop.strategy = before;
        shop.n = before === next ? 1 : 4;
        await happen(world, shop.n);
      }
      shop.strategy = next;
      await happen(world, 2);
      expect(newnessOf(world)).toBe(4);
      expect(becameOf(world, 'evt_2')).toMatch(VERSIONLESS);
    },
  );
});

it('a state machine does not begin in a row that was fetched, nor go on from the state before it', async () => {
  for (const before of ['state machine', undefined] as const) {
    for (const fetching of ['fetch latest', 'fetch latest with a version'] as const) {
      const shop = new Shop();
      const world = makeWorld(shop);
      if (before) {
        shop.strategy = before;
        await happen(world, 1);
      }
      shop.strategy = fetching;
      shop.n = 4;
      await happen(world, 4);
      shop.strategy = 'state machine';
      await happen(world, before ? 2 : 1);
      expect(newnessOf(world), `${before}, ${fetching}`).toBe(4);
      expect(becameOf(world, before ? 'evt_2' : 'evt_1')).toMatch(/^dead_letter: .*another strategy wrote the row/);
    }
  }
});

it('a state machine goes on from a state that was fetched', async () => {
  const shop = new Shop();
  const world = makeWorld(shop);
  shop.strategy = 'fetch latest with a state';
  shop.n = 4;
  await happen(world, 4);
  shop.strategy = 'state machine';
  await happen(world, 2);
  await happen(world, 5);
  expect([becameOf(world, 'evt_2').split(':')[0], becameOf(world, 'evt_5')]).toEqual([
    'skipped_stale',
    'completed: moved from "s4" to "s5"',
  ]);
});

it('an object that the provider says is gone is not brought back by an event from before', async () => {
  const shop = new Shop();
  const world = makeWorld(shop);
  shop.strategy = 'fetch latest with a version';
  await happen(world, 1);
  shop.n = GONE;
  await happen(world, 4);
  shop.strategy = 'latest wins';
  await happen(world, 3);
  expect(newnessOf(world)).toBe(GONE);
  expect(becameOf(world, 'evt_3')).toMatch(VERSIONLESS);
});

it('an answer from before a deletion is told from a new one', async () => {
  const shop = new Shop();
  const world = makeWorld(shop);
  shop.strategy = 'fetch latest with a version';
  for (const [at, n] of [4, GONE, 3].entries()) {
    shop.n = n;
    await deliver(world, `evt_${at}`, { data: { n: 4 } });
  }
  expect(newnessOf(world)).toBe(GONE);
  expect(becameOf(world, 'evt_2')).toMatch(/^skipped_stale: version 3 is older than 4/);
  shop.n = 5;
  await happen(world, 5);
  expect(rowOf(world, 'o_1')).toEqual({
    ...{ id: 'o_1', n: 5, version: 5, versionEventId: 'evt_default.evt_5', revision: 3 },
  });
});

it('a machine that moves the row while the provider is asked is not overwritten', async () => {
  const shop = new Shop();
  const world = makeWorld(shop, self => {
    if (shop.strategy === 'state machine' || shop.n !== 1) return;
    self.database.write({ kind: 'put', table: ENTITIES, item: { id: 'o_1', n: 2, state: 's2' } });
    shop.n = 3;
  });
  shop.strategy = 'state machine';
  await happen(world, 1);
  shop.strategy = 'fetch latest';
  await deliver(world, 'evt_other', { data: { n: 1 } });
  expect([newnessOf(world), world.item('evt_other')?.status]).toEqual([3, 'completed']);
});

it.each(NAMES)('%s and a fetch at the same time: the fetched state stays', async old => {
  const shop = new Shop();
  let others = 0;
  const world = makeWorld(shop, self => {
    // Another copy of the function, with the code of after the change.
    if (others++ > 0) return;
    const item = { id: 'o_1', n: 4, revision: 1, versionEventId: 'evt_default.other' };
    self.database.write({ kind: 'put', table: ENTITIES, item });
    shop.n = 4;
  });
  shop.strategy = old;
  await happen(world, 1);
  expect(newnessOf(world)).toBe(4);
});

/** A machine without a version writes nothing that says how new its row is: it may follow a fetch, and a fetch it. */
it.each([
  ['states alone', NAMES.filter(name => name === 'state machine' || name.startsWith('fetch'))],
  ['versions', NAMES.filter(name => name !== 'state machine')],
])('never goes back, whatever strategy follows which: %s', async (_name, names) => {
  const moves = fc.array(
    fc.record({
      strategy: fc.constantFrom(...names),
      /** The event that comes: one of those that happened until then. */
      event: fc.nat(5),
      changes: fc.boolean(),
      goes: fc.nat(9),
    }),
    { minLength: 2, maxLength: 7 },
  );
  await fc.assert(
    fc.asyncProperty(moves, async plan => {
      const shop = new Shop();
      const world = makeWorld(shop);
      let happened = 1;
      let newest = 0;
      for (const [at, { strategy, event, changes, goes }] of plan.entries()) {
        if (changes && happened < 6) happened += 1;
        shop.n = happened === 6 && goes === 0 ? GONE : happened;
        shop.strategy = strategy;
        const n = 1 + (event % happened);
        await deliver(world, `evt_${at}`, { data: { n } });
        const row = rowOf(world, 'o_1');
        const now = newnessOf(world);
        expect(now, JSON.stringify({ at, row })).toBeGreaterThanOrEqual(now === 6 && newest === GONE ? 6 : newest);
        newest = now;
      }
      world.stop();
    }),
    { numRuns: isLongRun() ? 5_000 : 100 },
  );
});
