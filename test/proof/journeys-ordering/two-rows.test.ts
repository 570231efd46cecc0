/** Strategies with more than their own row: a second row in one handler, and `effects` whose conditions do not hold. */
import { describe, expect, it } from 'vitest';
import { exists } from '#core/condition.ts';
import type { Handler, HandlerContext, Outcome, WebhookEvent } from '#core/handler/handler-contract.ts';
import { fetchLatest } from '#core/handler/ordering/fetch-latest.ts';
import { latestWins } from '#core/handler/ordering/latest-wins.ts';
import { stateMachine } from '#core/handler/ordering/state-machine.ts';
import { HOUR_MS } from '#core/time.ts';
import { EFFECTS, type MemoryWorld } from '#test/kit/memory-world.ts';
import { ENTITIES, makeEntityWorld, OTHERS, rowOf } from './entity-world.ts';

const QUICK = { attempts: 3, baseSeconds: 1, capSeconds: 2 };
type Row = { readonly table: string; readonly key: { readonly id: string } };
type Strategy = (event: WebhookEvent, context: HandlerContext, entity: Row) => Promise<Outcome>;

const orders = stateMachine({ initial: ['paid'], moves: { paid: [] } });
/** Each writes `done: true` into a row that is not there, and is too late for the row of `LATE`. */
const STRATEGIES: Readonly<Record<string, Strategy>> = {
  'latest wins': (event, context, entity) => latestWins(event, context, { entity, version: 5, state: { done: true } }),
  'state machine': (event, context, entity) =>
    orders.move(event, context, { entity, to: 'paid', state: { done: true } }),
  'fetch latest': (event, context, entity) =>
    fetchLatest(event, context, {
      ...{ entity, id: 'o_1', fetcher: { fetch: async id => ({ kind: 'found', id, object: {} }) } },
      ...{ toState: () => ({ done: true }), toVersion: () => 5 },
    }),
};
const LATE = { version: 9, state: 'paid' };
const FIRST: Row = { table: ENTITIES, key: { id: 'a' } };
const SECOND: Row = { table: OTHERS, key: { id: 'b' } };

function put(world: MemoryWorld, { table, key }: Row, row: object): void {
  world.database.write({ kind: 'put', table, item: { ...key, ...row } });
}
async function played(handle: (world: MemoryWorld) => Handler, before = (_world: MemoryWorld) => {}) {
  const world = makeEntityWorld(handle, { retry: QUICK });
  before(world);
  world.start();
  await world.post({ id: 'evt_1' });
  await world.clock.advanceBy(HOUR_MS);
  return world;
}
const wrote = (world: MemoryWorld, { table, key }: Row) => rowOf(world, key.id, table)?.['done'] === true;

describe.each(Object.entries(STRATEGIES))('%s for two rows in one handler', (_name, strategy) => {
  const both: Handler = async (event, context) => {
    await strategy(event, context, FIRST);
    return strategy(event, context, SECOND);
  };
  it.each([
    ['neither', [], 'completed', [true, true]],
    ['the second', [SECOND], 'completed', [true, false]],
    ['the first', [FIRST], 'completed', [false, true]],
    ['both', [FIRST, SECOND], 'skipped_stale', [false, false]],
  ] as const)('writes what it is in time for, where it is too late for %s', async (_which, late, status, written) => {
    const world = await played(
      () => both,
      it => {
        for (const row of late) put(it, row, LATE);
      },
    );
    expect(world.item('evt_1')).toMatchObject({ status, attempts: 1 });
    expect([wrote(world, FIRST), wrote(world, SECOND)]).toEqual(written);
  });

  it('writes the second row when another event changes the first one at the same time', async () => {
    let runs = 0;
    const world = await played(self => async (event, context) => {
      const outcome = await both(event, context);
      if (runs++ === 0) put(self, FIRST, LATE);
      return outcome;
    });
    expect(world.item('evt_1')).toMatchObject({ status: 'completed' });
    expect([wrote(world, FIRST), wrote(world, SECOND), runs]).toEqual([false, true, 2]);
  });
});

it.each(['latest wins', 'state machine'] as const)(
  '%s: a condition of `effects` that never holds ends after the attempts of the source',
  async name => {
    const write = { kind: 'check', table: EFFECTS, key: { id: 'none' }, condition: exists('id') } as const;
    const more = { entity: FIRST, effects: [write] };
    let runs = 0;
    const world = await played(() => async (event, context) => {
      runs++;
      return name === 'latest wins'
        ? latestWins(event, context, { ...more, version: 5, state: {} })
        : orders.move(event, context, { ...more, to: 'paid' });
    });
    expect(world.item('evt_1')).toMatchObject({ status: 'dead_letter', attempts: 3 });
    expect(world.item('evt_1')?.lastError).toContain('`effects`');
    expect([runs, rowOf(world, 'a')]).toEqual([3, undefined]);
  },
);
